// Pins: positions that the reader trusts because they were received or saved earlier.
import { isHex64, isMembers, sha256 } from './text.ts';
import type { Members, Value } from './text.ts';

export interface Pin {
  sequence: number;
  chainHash: string;
  /** Of a receipt. */
  traceId: string | null;
  /** Of a receipt: the salt of the commitment `submitted`. */
  salt: string | null;
  /** When the pinned entry was appended; ISO 8601. */
  createdAt: string | null;
}

/**
 * Parses a receipt (`sequence`, `chainHash`, optionally `traceId` and `salt`), a saved answer to an ingestion (`hashChain`, with or
 * without its envelope), a chain entry or an answer with one, or a chain status (`lastSequence`, `lastChainHash`); null otherwise.
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

/** The commitment to a posted body, given the salt of its receipt. */
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
