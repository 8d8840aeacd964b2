// The arithmetic of a chain: digests, links and their exact bytes (docs/formats.md).
import { hash } from 'node:crypto';

/** What the first entry of a ledger links to. */
export const ZERO_HASH = '0'.repeat(64);

/** What the first entry of an audit chain links to. */
export const AUDIT_GENESIS = '0';

/** A place in a chain, and proof of what stood there. */
export interface Position {
  sequence: number;
  chainHash: string;
}

/** The four parts of a chain hash, in the order in which they are concatenated. */
export interface Link {
  /** 64 hex digits, or the genesis of the chain. */
  prevHash: string;
  /** 64 hex digits. */
  payloadDigest: string;
  /** From 1. */
  sequence: number;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  createdAt: string;
}

/** SHA-256 of a text's UTF-8 bytes, or of bytes, as 64 lowercase hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** The digest of a view: of its canonical text, as it is stored. */
export function payloadDigest(view: string): string {
  return sha256Hex(view);
}

/** The hash that seals an entry and everything before it. */
export function chainHash(link: Link): string {
  return sha256Hex(link.prevHash + link.payloadDigest + link.sequence + link.createdAt);
}

/**
 * The 24 bytes by which a moment enters a chain hash.
 * @throws RangeError outside the years 0 to 9999, which need more bytes
 */
export function chainTime(moment: Date): string {
  const text = moment.toISOString();
  if (text.length !== 24) throw new RangeError(`${text} does not fit into a chain`);
  return text;
}
