// Whether a promise was kept: by the proof of its entry, of another one in its place, or by a witness's late checkpoint.
import { isHex64, isMembers, type Value, Unreadable } from '../text.ts';
import type { Verdict } from '../report.ts';
import { isOfLog, isProven, listNotes, type ProofFile, type Trust } from './log-proof.ts';
import { type Checkpoint, decodeHash, isSignedBy, type Key, type Note, readNote } from './note.ts';
import { findQuorum, hasQuorum } from './policy.ts';
import { hashLeaf, isIncluded } from './tree.ts';

/** What an answer promised. */
export interface Promised {
  sequence: number;
  chainHash: string;
  origin: string;
  /** Seconds. */
  before: number;
}

/** What the promise is held against. */
export interface Evidence {
  proofs: readonly ProofFile[];
  checkpoints: readonly { note: Note; checkpoint: Checkpoint }[];
  /** Chain hashes that a bundle shows, by sequence. */
  shown: ReadonlyMap<number, string>;
  /** Whether they are linked: then a proof of one of them is a proof of all before it. */
  isLinked: boolean;
}

/** Why a promise is broken, as the service says it. */
export type Breach = 'other-entry' | 'too-late' | 'not-in-log';

export interface PromiseReport {
  verdict: Verdict;
  /** Null: it is not broken, or that is not known. */
  reason: Breach | null;
  message: string;
}

const TEXT = /^assay-promise\/v1\n([^\n]+)\nbefore (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n([^\n]+)\n$/;
const BATCH_MAX = 64;
const PATH_MAX = 6;

const isOrdinal = (value: Value | undefined): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0;

/** Reads a saved answer, and checks its promise. @throws Unreadable */
export function readPromised(answer: Value, keys: readonly Key[]): Promised {
  const data = isMembers(answer) && isMembers(answer.data) ? answer.data : answer;
  const chain = isMembers(data) && isMembers(data.hashChain) ? data.hashChain : {};
  const { sequence, chainHash, promise } = chain;
  if (!isOrdinal(sequence) || !isHex64(chainHash) || !isMembers(promise))
    throw new Unreadable('the answer has no promise');
  const { note: text, index, path } = promise;
  const isInBatch = index === 0 || (isOrdinal(index) && index < BATCH_MAX);
  if (typeof text !== 'string' || !isInBatch || !Array.isArray(path) || path.length > PATH_MAX)
    throw new Unreadable('the promise is malformed');
  const note = readNote(text);
  if (!keys.some((key) => isSignedBy(note, key)))
    throw new Unreadable('no key given has signed the promise');
  const [, origin, before, root] = TEXT.exec(note.text) ?? [];
  if (origin === undefined || before === undefined || root === undefined)
    throw new Unreadable('the promise is of another version');
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(sequence));
  const leaf = hashLeaf(Buffer.concat([place, Buffer.from(chainHash, 'hex')]));
  const hashes = path.map((hash) => decodeHash(String(hash)));
  const sizes = Array.from({ length: BATCH_MAX }, (_, at) => at + 1);
  const isCovered = sizes.some((size) =>
    isIncluded(leaf, { index, hashes }, { size, root: decodeHash(root) }),
  );
  if (!isCovered) throw new Unreadable('the promise is about another entry');
  return { sequence, chainHash, origin, before: Date.parse(before) / 1000 };
}

/** What a log has at the place of a promised entry. */
interface Found {
  chainHash: string;
  /** The checkpoints that show it. */
  notes: readonly Note[];
}

/** Checks a promise against evidence of its log. */
export function checkPromise(promised: Promised, evidence: Evidence, trust: Trust): PromiseReport {
  const { sequence, chainHash, origin } = promised;
  const keys = trust.keys.filter(({ name }) => name === origin);
  const found = findEntries(promised, evidence, { ...trust, keys });
  const other = found.find((one) => one.chainHash !== chainHash);
  if (other)
    return breakPromise(
      'other-entry',
      `the log has another entry at ${sequence}, ${other.chainHash}`,
    );
  const late = findLateness(promised, evidence, { ...trust, keys });
  if (late !== null) return breakPromise(found.length > 0 ? 'too-late' : 'not-in-log', late);
  if (found.length === 0) return tellNothing('nothing given says whether the promise was kept');
  return { verdict: 'intact', reason: null, message: describeTime(promised, found, trust) };
}

const breakPromise = (reason: Breach, why: string): PromiseReport => ({
  verdict: 'tampered',
  reason,
  message: `the promise is broken: ${why}`,
});

export const tellNothing = (message: string): PromiseReport => ({
  verdict: 'cannot tell',
  reason: null,
  message,
});

/** Finds what proofs show at the place: of the entry itself, or of a later one that the bundle links to it. */
function findEntries(
  { sequence, chainHash }: Promised,
  { proofs, shown, isLinked }: Evidence,
  { keys }: Trust,
): Found[] {
  const inBundle = shown.get(sequence);
  const candidates = new Set([chainHash, ...(inBundle === undefined ? [] : [inBundle])]);
  return proofs.flatMap((proof) => {
    const place = proof.index + 1;
    if (proof.extra !== null || place < sequence || !isOfLog(proof, keys)) return [];
    const notes = listNotes(proof, proofs);
    const last = shown.get(place);
    const isLinkedTo = isLinked && inBundle !== undefined && last !== undefined;
    if (isLinkedTo && isProven(proof, last)) return [{ chainHash: inBundle, notes }];
    const proven = place === sequence ? [...candidates].find((one) => isProven(proof, one)) : null;
    return proven ? [{ chainHash: proven, notes }] : [];
  });
}

/** Says who saw too few entries after the time; null: no one did. */
function findLateness(
  { sequence, before }: Promised,
  { proofs, checkpoints }: Evidence,
  { keys, policy }: Trust,
): string | null {
  if (!policy) return null;
  for (const seen of [...checkpoints, ...proofs]) {
    const { size } = seen.checkpoint;
    if (size >= sequence || !isOfLog(seen, keys)) continue;
    const times = [...(findQuorum(policy, seen.note) ?? [])];
    const late = times.find(([, time]) => time > before);
    if (late) return `${late[0]} saw ${size} entries after it was due`;
  }
  return null;
}

/** Says whether witnesses saw the entry in time, where there are any. */
function describeTime({ before }: Promised, found: readonly Found[], { policy }: Trust): string {
  if (!policy?.quorum) return 'the promise was kept';
  const isInTime = found
    .flatMap(({ notes }) => notes)
    .some((note) => {
      const times = [...(findQuorum(policy, note) ?? [])].filter(([, time]) => time < before);
      return hasQuorum(policy, new Map(times));
    });
  return isInTime
    ? 'the promise was kept, and in time'
    : 'the promise was kept; nothing given says whether in time';
}
