// Pins: what a reader trusts, because it was received or noted before: receipts and earlier heads.
import { isHex64, isMembers, sha256 } from './text.ts';
import type { Members, Value } from './text.ts';

export interface Pin {
  sequence: number;
  chainHash: string;
  /** Of a receipt. */
  traceId: string | null;
  /** Of a receipt: the salt of the commitment `submitted`. */
  salt: string | null;
  /** When the pinned entry was appended, or earlier known; ISO 8601. */
  createdAt: string | null;
}

/**
 * Reads a receipt (`sequence`, `chainHash`, perhaps `traceId` and `salt`), the saved answer of an ingestion (`hashChain`,
 * with or without its envelope), a chain entry or the answer with one, or a chain status (`lastSequence`, `lastChainHash`).
 * @returns null when it is none of these
 */
export function readPin(value: Value): Pin | null {
  if (!isMembers(value)) return null;
  const { data, entry, hashChain } = value;
  if (isMembers(data)) return readPin(data);
  if (isMembers(entry)) return readPin(entry);
  if (isMembers(hashChain))
    return pinOf({
      traceId: value.traceId ?? null,
      createdAt: value.createdAt ?? null,
      ...hashChain,
    });
  if ('lastSequence' in value) {
    const { lastSequence, lastChainHash, lastEntryAt } = value;
    return pinOf({
      sequence: lastSequence ?? null,
      chainHash: lastChainHash ?? null,
      createdAt: lastEntryAt ?? null,
    });
  }
  return pinOf(value);
}

/** The commitment that a receipt's salt and the body that was posted lead to. */
export function submittedCommitment(salt: string, body: Uint8Array): string {
  return sha256(`["${salt}","submitted","${sha256(body)}"]`);
}

function pinOf({ sequence, chainHash, traceId, salt, createdAt }: Members): Pin | null {
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 1 || !isHex64(chainHash))
    return null;
  return {
    sequence: sequence as number,
    chainHash,
    traceId: textOrNull(traceId),
    salt: textOrNull(salt),
    createdAt: textOrNull(createdAt),
  };
}

function textOrNull(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
