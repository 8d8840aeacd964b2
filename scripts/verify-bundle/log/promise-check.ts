// Whether a promise was kept: by the proof of its entry, of another one in its place, or by a witness's late checkpoint.
import { isHex64, isMembers, type Value, Unreadable } from '../text.ts';
import type { Verdict } from '../report.ts';
import { isOfLog, isProven, type ProofFile, type Trust } from './log-proof.ts';
import { type Checkpoint, decodeHash, isSignedBy, type Key, type Note, readNote } from './note.ts';
import { findQuorum } from './policy.ts';
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
}

export interface PromiseReport {
  verdict: Verdict;
  message: string;
}

const TEXT = /^assay-promise\/v1\n([^\n]+)\nbefore (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n([^\n]+)\n$/;
const BATCH_MAX = 64;

/** Reads a saved answer, and checks its promise. @throws Unreadable */
export function readPromised(answer: Value, keys: readonly Key[]): Promised {
  const data = isMembers(answer) && isMembers(answer.data) ? answer.data : answer;
  const chain = isMembers(data) && isMembers(data.hashChain) ? data.hashChain : {};
  const { sequence, chainHash, promise } = chain;
  if (!Number.isSafeInteger(sequence) || !isHex64(chainHash) || !isMembers(promise))
    throw new Unreadable('the answer has no promise');
  const { note: text, index, path } = promise;
  if (typeof text !== 'string' || !Number.isSafeInteger(index) || !Array.isArray(path))
    throw new Unreadable('the promise is malformed');
  const note = readNote(text);
  if (!keys.some((key) => isSignedBy(note, key)))
    throw new Unreadable('no key given has signed the promise');
  const [, origin, before, root] = TEXT.exec(note.text) ?? [];
  if (origin === undefined || before === undefined || root === undefined)
    throw new Unreadable('the promise is of another version');
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(sequence as number));
  const leaf = hashLeaf(Buffer.concat([place, Buffer.from(chainHash, 'hex')]));
  const hashes = path.map((hash) => decodeHash(String(hash)));
  const sizes = Array.from({ length: BATCH_MAX }, (_, at) => at + 1);
  const isCovered = sizes.some((size) =>
    isIncluded(leaf, { index: index as number, hashes }, { size, root: decodeHash(root) }),
  );
  if (!isCovered) throw new Unreadable('the promise is about another entry');
  return { sequence: sequence as number, chainHash, origin, before: Date.parse(before) / 1000 };
}

/** Checks a promise against evidence of its log. */
export function checkPromise(promised: Promised, evidence: Evidence, trust: Trust): PromiseReport {
  const { sequence, chainHash, origin, before } = promised;
  const ofLog = { ...trust, keys: trust.keys.filter(({ name }) => name === origin) };
  for (const proof of evidence.proofs) {
    if (!isOfLog(proof, ofLog.keys) || proof.index !== sequence - 1) continue;
    if (isProven(proof, chainHash)) return { verdict: 'intact', message: 'the promise was kept' };
    const other = evidence.shown.get(sequence);
    if (other !== undefined && isProven(proof, other))
      return {
        verdict: 'tampered',
        message: `the promise is broken: the log has another entry at ${sequence}, ${other}`,
      };
  }
  for (const shown of evidence.checkpoints) {
    if (!isOfLog(shown, ofLog.keys) || shown.checkpoint.size >= sequence || !trust.policy) continue;
    const late = [...(findQuorum(trust.policy, shown.note) ?? [])].find(
      ([, time]) => time > before,
    );
    if (late)
      return {
        verdict: 'tampered',
        message: `the promise is broken: ${late[0]} saw ${shown.checkpoint.size} entries after it was due`,
      };
  }
  return { verdict: 'cannot tell', message: 'nothing given says whether the promise was kept' };
}
