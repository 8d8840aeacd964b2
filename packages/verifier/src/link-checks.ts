// Checks of the chain: hashes, links and times of entries, and the consistency of the document as a whole.
import { isHex64, hashSha256 } from './text.ts';
import type { Entry, Footer, Header } from './layout.ts';

export interface Fault {
  code: string;
  message: string;
}

/** Expected position and links of an entry. */
export interface Context {
  header: Header;
  expected: number;
  prevHash: string | null;
  /** `createdAt` of the previous entry; empty: none. */
  notBefore: string;
}

/** Tolerated between the clocks of servers and readers. */
export const CLOCK_TOLERANCE_MS = 60_000;

const ZEROS = '0'.repeat(64);

/** The faults of an entry at its position. */
export function linkFaults(
  entry: Entry,
  { header, expected, prevHash, notBefore }: Context,
): Fault[] {
  const { sequence, createdAt, view } = entry;
  const faults: Fault[] = [];
  const check = (isFault: boolean, code: string, message: string) => {
    if (isFault) faults.push({ code, message });
  };
  const gap = sequence !== expected;
  check(gap, 'sequence-gap', `sequence ${sequence} in place of ${expected}`);
  check(
    !gap && entry.prevHash !== prevHash,
    'prev-hash-mismatch',
    'prevHash is not the chainHash of the previous entry',
  );
  check(
    !isWellFormedLink(entry, header),
    'prev-hash-mismatch',
    'prevHash is malformed for this sequence',
  );
  const sealed = hashSha256(entry.prevHash + entry.payloadDigest + sequence + createdAt);
  check(sealed !== entry.chainHash, 'chain-hash-mismatch', 'chainHash does not match the entry');
  check(
    view !== null && hashSha256(entry.viewText) !== entry.payloadDigest,
    'payload-digest-mismatch',
    'payloadDigest does not match the view',
  );
  check(!isTime(createdAt), 'created-at-malformed', 'createdAt is malformed');
  check(
    !gap && createdAt < notBefore,
    'created-at-decreasing',
    'createdAt is earlier than that of the previous entry',
  );
  check(
    entry.organizationId !== header.organizationId,
    'organization-mismatch',
    'the entry is of another organisation',
  );
  return faults;
}

/** The parts read of a document; null: nothing, or unreadable. */
interface ReadDocument {
  entries: number;
  first: number | null;
  last: number | null;
  lastHash: string | null;
  lastAt: string | null;
}

/** Finds contradictions of a complete document to its own header and footer. */
export function findDocumentFaults(header: Header, footer: Footer, read: ReadDocument): string[] {
  const { range, prevHash, head, count } = header;
  const { entries, first, last, lastHash, lastAt } = read;
  const faults = exportTimeFaults(header, lastAt);
  if (count !== entries || footer.count !== entries)
    faults.push(`the document has ${entries} entries, not the announced number`);
  if (entries === 0) {
    if (
      range.fromSequence !== null ||
      range.toSequence !== null ||
      prevHash !== null ||
      footer.chainHash !== null
    ) {
      faults.push('the document is empty but announces a range');
    }
    return faults;
  }
  if ((first !== null && range.fromSequence !== first) || range.toSequence !== last)
    faults.push('the entries are not in the announced range');
  if (lastHash !== null && footer.chainHash !== lastHash)
    faults.push('chainHash of the footer is not that of the last entry');
  if (head === null || head.sequence < (last as number))
    faults.push('the head precedes the last entry');
  else if (head.sequence === last && lastHash !== null && head.chainHash !== lastHash) {
    faults.push('chainHash of the head is not that of the last entry');
  }
  return faults;
}

/** A document is exported after its last entry was appended, but for clocks that differ. */
function exportTimeFaults({ exportedAt }: Header, lastAt: string | null): string[] {
  if (!isTime(exportedAt)) return ['exportedAt is malformed'];
  const isEarlier =
    lastAt !== null && Date.parse(exportedAt) + CLOCK_TOLERANCE_MS < Date.parse(lastAt);
  return isEarlier ? ['exportedAt is earlier than the last entry'] : [];
}

/** Whether prevHash has the width that makes the hashed bytes unambiguous: the genesis at sequence 1, a hash elsewhere. */
function isWellFormedLink({ sequence, prevHash }: Entry, { chain }: Header): boolean {
  if (sequence === 1) return prevHash === (chain === 'audit' ? '0' : ZEROS);
  return isHex64(prevHash);
}

function isTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
