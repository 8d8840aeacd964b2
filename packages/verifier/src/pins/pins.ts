// Pins: positions that the reader trusts because they were received or saved earlier.
import { isHex64, isMembers, hashSha256 } from '../text.ts';
import type { Members, Value } from '../text.ts';

export interface Pin {
  sequence: number;
  chainHash: string;
  /** The trace id of a receipt. */
  traceId: string | null;
  /** The salt of a receipt's commitment `submitted`. */
  salt: string | null;
  /** When the pinned entry was appended; ISO 8601. */
  createdAt: string | null;
  /** Decides instead of `chainHash`, where only a proof can tell. */
  isHash?: (chainHash: string) => boolean;
}

/** Returns whether a pin agrees with a chain hash at its sequence. */
export function isPinned({ chainHash, isHash }: Pin, found: string | null): boolean {
  return isHash && found !== null ? isHash(found) : chainHash === found;
}

/**
 * Parses a receipt (`sequence`, `chainHash`, optionally `traceId` and `salt`), a saved answer to an ingestion (`hashChain`, with or
 * without its envelope), a chain entry or an answer with one, a chain status (`lastSequence`, `lastChainHash`), or the answer of a verified audit chain (`totalEntries`, `lastHash`); null otherwise.
 */
export function readPin(value: Value): Pin | null {
  if (!isMembers(value)) return null;
  const { data, entry, hashChain } = value;
  if (isMembers(data)) return readPin(data);
  if (isMembers(entry)) return readPin(entry);
  if (isMembers(hashChain))
    return toPin({
      traceId: value.traceId ?? null,
      createdAt: value.createdAt ?? null,
      ...hashChain,
    });
  if ('totalEntries' in value && 'lastHash' in value)
    return value.verified === true ? parseAuditPin(value) : null;
  if ('lastSequence' in value) {
    const { lastSequence, lastChainHash, lastEntryAt } = value;
    return toPin({
      sequence: lastSequence ?? null,
      chainHash: lastChainHash ?? null,
      createdAt: lastEntryAt ?? null,
    });
  }
  return toPin(value);
}

const SHORT_PIN = /^([1-9]\d{0,15}):([0-9a-f]{64})$/;

/** Parses a pin written `sequence:chainHash`; null otherwise. */
export function readShortPin(text: string): Pin | null {
  const [, sequence, chainHash] = SHORT_PIN.exec(text) ?? [];
  return sequence === undefined
    ? null
    : toPin({ sequence: Number(sequence), chainHash: chainHash as string });
}

/** Computes the commitment to a posted body from the salt of its receipt. */
export function computeSubmittedCommitment(salt: string, body: Uint8Array): string {
  return hashSha256(`["${salt}","submitted","${hashSha256(body)}"]`);
}

/** Parses the answer of a verified audit chain, whose entries are numbered from 1. */
function parseAuditPin({ totalEntries, lastHash }: Members): Pin | null {
  return toPin({ sequence: totalEntries ?? null, chainHash: lastHash ?? null });
}

function toPin({ sequence, chainHash, traceId, salt, createdAt }: Members): Pin | null {
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 1 || !isHex64(chainHash))
    return null;
  return {
    sequence: sequence as number,
    chainHash,
    traceId: toTextOrNull(traceId),
    salt: toTextOrNull(salt),
    createdAt: toTextOrNull(createdAt),
  };
}

function toTextOrNull(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
