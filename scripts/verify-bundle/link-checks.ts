// The arithmetic of the chain: hashes, links, times, and what a document says of itself as a whole.
import { isHex64, sha256 } from './text.ts';
import type { Entry, Footer, Header } from './layout.ts';

export interface Fault {
  code: string;
  message: string;
}

/** What an entry must fit. */
export interface Context {
  header: Header;
  expected: number;
  prevHash: string | null;
  /** createdAt of the entry before, or nothing. */
  notBefore: string;
}

const ZEROS = '0'.repeat(64);

/** What is wrong with an entry in its place. */
export function linkFaults(
  entry: Entry,
  { header, expected, prevHash, notBefore }: Context,
): Fault[] {
  const { sequence, createdAt, view } = entry;
  const faults: Fault[] = [];
  const refuse = (wrong: boolean, code: string, message: string) => {
    if (wrong) faults.push({ code, message });
  };
  const gap = sequence !== expected;
  refuse(gap, 'sequence-gap', `sequence ${sequence} stands where ${expected} belongs`);
  refuse(
    !gap && entry.prevHash !== prevHash,
    'prev-hash-mismatch',
    'does not link to the entry before',
  );
  refuse(
    !isStart(entry, header),
    'prev-hash-mismatch',
    'prevHash is none that this sequence can have',
  );
  const sealed = sha256(entry.prevHash + entry.payloadDigest + sequence + createdAt);
  refuse(sealed !== entry.chainHash, 'chain-hash-mismatch', 'chainHash does not fit the entry');
  refuse(
    view !== null && sha256(entry.viewText) !== entry.payloadDigest,
    'payload-digest-mismatch',
    'payloadDigest does not fit the view',
  );
  refuse(!isTime(createdAt), 'created-at-malformed', 'createdAt is no time of the format');
  refuse(
    !gap && createdAt < notBefore,
    'created-at-decreasing',
    'createdAt is earlier than that of the entry before',
  );
  refuse(
    entry.organizationId !== header.organizationId,
    'organization-mismatch',
    'an entry of another organisation',
  );
  return faults;
}

/** What a complete document says of itself and does not hold. */
export function documentFaults(
  { range, prevHash, head, count }: Header,
  footer: Footer,
  read: { entries: number; first: number | null; last: number | null; lastHash: string | null },
): string[] {
  const faults: string[] = [];
  const { entries, first, last, lastHash } = read;
  if (count !== entries || footer.count !== entries)
    faults.push(`${entries} entries, not as many as announced`);
  if (entries === 0) {
    if (
      range.fromSequence !== null ||
      range.toSequence !== null ||
      prevHash !== null ||
      footer.chainHash !== null
    ) {
      faults.push('an empty document that announces a range');
    }
    return faults;
  }
  if ((first !== null && range.fromSequence !== first) || range.toSequence !== last)
    faults.push('not the announced range');
  if (lastHash !== null && footer.chainHash !== lastHash)
    faults.push('the end names another chainHash than the last entry');
  if (head === null || head.sequence < (last as number))
    faults.push('the head is before the last entry');
  else if (head.sequence === last && lastHash !== null && head.chainHash !== lastHash) {
    faults.push('the head names another chainHash than the last entry');
  }
  return faults;
}

/** Whether prevHash has the width that makes the sealed bytes unambiguous: the genesis at sequence 1, a hash elsewhere. */
function isStart({ sequence, prevHash }: Entry, { chain }: Header): boolean {
  if (sequence === 1) return prevHash === (chain === 'audit' ? '0' : ZEROS);
  return isHex64(prevHash);
}

function isTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}
