// The hash chain: digests, links and the exact hashed bytes (docs/reference/formats.md).
import { hash } from 'node:crypto';

/** The largest clock skew with which entries may be sealed. */
export const MAX_SKEW_MS = 5000;

/** `prevHash` of the first entry of a ledger. */
export const ZERO_HASH = '0'.repeat(64);

/** `prevHash` of the first entry of an audit chain. */
export const AUDIT_GENESIS = '0';

/** A position in a chain and the hash of the entry there. */
export interface Position {
  sequence: number;
  chainHash: string;
}

/** The four parts of a chain hash, in the order of their concatenation. */
export interface Link {
  /** 64 hex digits, or the genesis of the chain. */
  prevHash: string;
  /** 64 hex digits. */
  payloadDigest: string;
  /** Starts at 1. */
  sequence: number;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  createdAt: string;
}

/** SHA-256 of a text's UTF-8 bytes, or of bytes, as 64 lowercase hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** The digest of a payload's canonical text, as stored. */
export function computePayloadDigest(payload: string): string {
  return sha256Hex(payload);
}

/** The hash that seals an entry and all entries before it. */
export function computeChainHash(link: Link): string {
  return sha256Hex(link.prevHash + link.payloadDigest + link.sequence + link.createdAt);
}

/**
 * A time in the format of the chain hash: `YYYY-MM-DDTHH:mm:ss.sssZ`, 24 bytes.
 * @throws RangeError outside the years 0 to 9999, which take more bytes
 */
export function formatChainTime(time: Date): string {
  const text = time.toISOString();
  if (text.length !== 24) throw new RangeError(`${text} is outside the years 0 to 9999`);
  return text;
}
