// What decides a promise offline: a bundle up to its last proven entry, and the times at which witnesses signed.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  formatCheckpoint,
  formatProofFile,
  computeRoot,
  hashLeaf,
  listInclusionRanges,
  BatchTree,
  formatPromise,
  formatCosignature,
  formatCosignedText,
  formatSignatureLine,
  formatVerifierKey,
  LOG_KEY,
  signNote,
  toRawPublicKey,
  WITNESS_KEY,
} from '@assay/tlog';
import { createHeadsLeaf } from '../../../../src/domain/log/heads-leaf.ts';
import { checkPromiseText } from '../../src/log/log-texts.ts';
import { isLinked } from '../../src/report.ts';
import {
  createBundleLines,
  sampleHistory,
} from '../../../../test/domain/record/samples/sample-chain.ts';
import { verify } from '../verification.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = toRawPublicKey(createPublicKey(privateKey));
const toKey = (name: string, type = LOG_KEY) => ({ name, type, publicKey });
const signText = (text: Uint8Array) => Promise.resolve(sign(null, text, privateKey));
const toPath = (hashes: Buffer[], index: number) =>
  listInclusionRanges(index, hashes.length).map(({ first, end }) =>
    computeRoot(hashes.slice(first, end)),
  );

const ORIGIN = 'log.example/log/0123456789abcdef0123456789abcdef';
const HEADS = 'log.example/log/heads';
const WITNESS = toKey('witness.example', WITNESS_KEY);
const BEFORE = Date.parse('2026-04-12T00:00:00Z') / 1000;
const entries = sampleHistory(7, 30);
const other = sampleHistory(8, 30);
type Entries = typeof entries;

/** Adds the signature of the witness at a time. */
function cosign(note: string, seconds: number): string {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const signed = sign(null, Buffer.from(formatCosignedText(text, seconds)), privateKey);
  return note + formatSignatureLine(WITNESS, formatCosignature(seconds, signed));
}

const signCheckpoint = (origin: string, leaves: Buffer[]) =>
  signNote(
    formatCheckpoint({ origin, size: leaves.length, root: computeRoot(leaves) }),
    toKey(origin),
    signText,
  );

const toLeaves = (some: Entries) =>
  some.map(({ chainHash }) => hashLeaf(Buffer.from(chainHash, 'hex')));

/** The proof of the last of some entries, and that of its checkpoint in the heads log, witnessed at a time. */
async function proveLast(some: Entries, seenAt: number): Promise<string[]> {
  const leaves = toLeaves(some);
  const index = leaves.length - 1;
  const note = await signCheckpoint(ORIGIN, leaves);
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const heads = [hashLeaf(Buffer.from('another')), hashLeaf(createHeadsLeaf(ORIGIN, text))];
  const headsNote = cosign(await signCheckpoint(HEADS, heads), seenAt);
  return [
    formatProofFile({ index, path: toPath(leaves, index) }, note),
    formatProofFile({ index: 1, path: toPath(heads, 1) }, headsNote, Buffer.from(note)),
  ];
}

/** The answer that promised an entry. */
async function writeAnswer({ sequence, chainHash }: Entries[number], more = {}): Promise<string> {
  const tree = new BatchTree([{ sequence, chainHash }]);
  const terms = { origin: ORIGIN, before: new Date(BEFORE * 1000), root: tree.root };
  const note = await signNote(formatPromise(terms), toKey('log.example/promise'), signText);
  const promise = { note, index: 0, path: [], ...more };
  return JSON.stringify({ data: { hashChain: { sequence, chainHash, promise } } });
}

const POLICY = `witness w ${formatVerifierKey(WITNESS)}\nquorum w\n`;
const trust = {
  checkpoints: [],
  proofs: [],
  policy: null,
  logKeys: [ORIGIN, HEADS].map((name) => formatVerifierKey(toKey(name))),
  promiseKeys: [formatVerifierKey(toKey('log.example/promise'))],
};

/** What the lines of a bundle show. */
async function readShown(lines: readonly string[]) {
  const shown = new Map<number, string>();
  const report = await verify([...lines], {
    onEntry: (sequence: number, chainHash: string) => void shown.set(sequence, chainHash),
  });
  return { shown, isLinked: isLinked(report) };
}

it('a bundle whose last entry is proved decides the promise of every entry', async () => {
  const proofs = await proveLast(entries, BEFORE - 1);
  const { shown, isLinked: linked } = await readShown(createBundleLines(entries));
  expect(linked).toBe(true);
  const check = (answer: string) =>
    checkPromiseText(answer, { ...trust, proofs, isLinked: linked }, shown);
  for (const [at, entry] of entries.entries()) {
    const kept = check(await writeAnswer(entry));
    expect(kept).toEqual({ verdict: 'intact', reason: null, message: 'the promise was kept' });
    const { chainHash } = other[at]!;
    const broken = check(await writeAnswer({ ...entry, chainHash }));
    expect(broken).toMatchObject({ verdict: 'tampered', reason: 'other-entry' });
    expect(broken.message).toContain(`another entry at ${entry.sequence}, ${entry.chainHash}`);
  }
  const beyond = { ...entries[0]!, sequence: entries.length + 1 };
  expect(check(await writeAnswer(beyond)).verdict).toBe('cannot tell');
});

it('a bundle that is cut, unlinked, altered or of another chain decides nothing', async () => {
  const proofs = await proveLast(entries, BEFORE - 1);
  const lines = createBundleLines(entries);
  const answer = await writeAnswer({ ...entries[3]!, chainHash: 'ab'.repeat(32) });
  const check = async (altered: readonly string[]) => {
    const { shown, isLinked: linked } = await readShown(altered);
    return checkPromiseText(answer, { ...trust, proofs, isLinked: linked }, shown).verdict;
  };
  expect(await check(lines)).toBe('tampered');
  expect(await check(lines.slice(0, -5))).toBe('cannot tell');
  expect(await check(lines.toSpliced(10, 1))).toBe('cannot tell');
  expect(await check(lines.with(10, '{},'))).toBe('cannot tell');
  expect(await check(createBundleLines(other))).toBe('cannot tell');
});

it('witnesses say whether it was in time; one that saw fewer entries after it breaks the promise', async () => {
  const entry = entries.at(-1)!;
  const answer = await writeAnswer(entry);
  const shown = new Map<number, string>();
  const early = cosign(await signCheckpoint(ORIGIN, toLeaves(entries.slice(0, -1))), BEFORE + 1);
  const check = (proofs: string[], checkpoints: string[] = []) =>
    checkPromiseText(answer, { ...trust, policy: POLICY, proofs, checkpoints }, shown);
  const inTime = await proveLast(entries, BEFORE - 1);
  const later = await proveLast(entries, BEFORE + 9);
  expect(check(inTime).message).toBe('the promise was kept, and in time');
  expect(check(later)).toMatchObject({
    verdict: 'intact',
    message: 'the promise was kept; nothing given says whether in time',
  });
  expect(check(later, [early])).toMatchObject({ verdict: 'tampered', reason: 'too-late' });
  expect(check([], [early])).toMatchObject({ verdict: 'tampered', reason: 'not-in-log' });
  expect(check(later, [early]).message).toContain('w saw 29 entries after it was due');
  const punctual = cosign(await signCheckpoint(ORIGIN, toLeaves(entries.slice(0, -1))), BEFORE);
  expect(check(later, [punctual]).verdict).toBe('intact');
});

it.each([
  { index: -1 },
  { index: 0.5 },
  { index: 64 },
  { index: 2 ** 53 },
  { index: '0' },
  { index: null },
  { path: 'x' },
  { path: [null] },
  { path: Array.from({ length: 7 }, () => Buffer.alloc(32).toString('base64')) },
  { note: 7 },
])('a promise with %j is malformed', async (more) => {
  const proofs = await proveLast(entries, BEFORE - 1);
  const answer = await writeAnswer(entries.at(-1)!, more);
  const report = checkPromiseText(answer, { ...trust, proofs }, new Map());
  expect(report.verdict).toBe('cannot tell');
  expect(report.message).toMatch(/promise|base64|hash/);
});

it.each([0, -1, 1.5, 2 ** 53, '1', null])(
  'a promise of the sequence %j is malformed',
  async (sequence) => {
    const answer = JSON.parse(await writeAnswer(entries[0]!));
    answer.data.hashChain.sequence = sequence;
    const report = checkPromiseText(JSON.stringify(answer), trust, new Map());
    expect(report).toMatchObject({ verdict: 'cannot tell', message: 'the answer has no promise' });
  },
);
