// Each byte of a proof file, a checkpoint and a promise counts: an altered one vouches for nothing.
// @module-tag varied
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
  formatVerifierKey,
  LOG_KEY,
  signNote,
  toRawPublicKey,
} from '@assay/tlog';
import { createHeadsLeaf } from '../../../src/domain/log/heads-leaf.ts';
import { computeChainHash, ZERO_HASH } from '../../../src/domain/record/chain.ts';
import { checkPromiseText, makePinsOfTexts } from '../src/log/log-texts.ts';
import { Unreadable } from '../src/text.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';
import {
  createBundleLines,
  sampleHistory,
} from '../../../test/domain/record/samples/sample-chain.ts';
import { verify } from './verification.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = toRawPublicKey(createPublicKey(privateKey));
const toKey = (name: string) => ({ name, type: LOG_KEY, publicKey });
const signText = (text: Uint8Array) => Promise.resolve(sign(null, text, privateKey));
const toPath = (hashes: Buffer[], index: number) =>
  listInclusionRanges(index, hashes.length).map(({ first, end }) =>
    computeRoot(hashes.slice(first, end)),
  );

const entries = sampleHistory(7, 30);
const last = entries.at(-1)!;
const ORIGIN = 'log.example/log/0123456789abcdef0123456789abcdef';
const HEADS = 'log.example/log/heads';

/** What an auditor has of a log: the proof of the last entry, and that of its checkpoint in the heads log. */
async function writeEvidence() {
  const leaves = entries.map(({ chainHash }) => hashLeaf(Buffer.from(chainHash, 'hex')));
  const text = formatCheckpoint({ origin: ORIGIN, size: leaves.length, root: computeRoot(leaves) });
  const note = await signNote(text, toKey(ORIGIN), signText);
  const index = leaves.length - 1;
  const proof = formatProofFile({ index, path: toPath(leaves, index) }, note);
  const others = Array.from({ length: 5 }, (_, at) => hashLeaf(Buffer.from(`head ${at}`)));
  const heads = [...others, hashLeaf(createHeadsLeaf(ORIGIN, text))];
  const headsText = formatCheckpoint({
    origin: HEADS,
    size: heads.length,
    root: computeRoot(heads),
  });
  const headsNote = await signNote(headsText, toKey(HEADS), signText);
  const headsProof = formatProofFile(
    { index: 5, path: toPath(heads, 5) },
    headsNote,
    Buffer.from(note),
  );
  return { proof, headsProof, note };
}

async function writeAnswer(): Promise<string> {
  const tree = new BatchTree(entries.slice(-5));
  const terms = { origin: ORIGIN, before: new Date('2026-04-12T00:00:00Z'), root: tree.root };
  const note = await signNote(formatPromise(terms), toKey('log.example/promise'), signText);
  const { sequence, chainHash } = last;
  const hashChain = { sequence, chainHash, promise: { note, index: 4, path: tree.listPath(4) } };
  return JSON.stringify({ data: { hashChain } });
}

const logKeys = [ORIGIN, HEADS].map((name) => formatVerifierKey(toKey(name)));
const promiseKeys = [formatVerifierKey(toKey('log.example/promise'))];
const trust = { checkpoints: [], policy: null, logKeys, promiseKeys };
const shown = new Map(entries.map(({ sequence, chainHash }) => [sequence, chainHash]));
const lines = createBundleLines(entries);

/** Says what an auditor learns of the bundle: intact with the end vouched for, or why not. */
async function findVerdict(proofs: readonly string[]): Promise<string> {
  try {
    const pins = makePinsOfTexts({ ...trust, proofs });
    const { verdict } = await verify(lines, { pins: pins.map(({ pin }) => pin) });
    const isWhole = pins.some(
      ({ texts, pin }) => pin.sequence === last.sequence && texts.length > 0,
    );
    const isInHeads = pins.some(({ texts }) => texts.length === 2);
    return `${verdict}${isWhole ? ', vouched for' : ''}${isInHeads ? ', in the heads log' : ''}`;
  } catch (error) {
    if (error instanceof Unreadable) return 'unreadable';
    throw error;
  }
}

/** Every altered copy of a text, each with one byte changed; some of them in `npm test`. */
function* changeBytes(text: string): Generator<[at: number, altered: string]> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chooseRuns(5, 1)) {
    const altered = Buffer.from(bytes);
    altered[at] = altered[at]! ^ (1 << (at % 7));
    yield [at, altered.toString()];
  }
}

/** An altered index may lie beyond the end of the bundle, which cannot tell then. */
const BROKEN = ['unreadable', 'tampered, vouched for', 'tampered', 'cannot tell'];

it('a proof file vouches for the bundle, and none with a byte altered does', async () => {
  const { proof, headsProof } = await writeEvidence();
  expect(await findVerdict([proof])).toBe('intact, vouched for');
  expect(await findVerdict([proof, headsProof])).toBe('intact, vouched for, in the heads log');
  for (const [at, altered] of changeBytes(proof))
    expect(BROKEN, `byte ${at}`).toContain(await findVerdict([altered]));
});

it('a proof in the heads log shows who has seen a checkpoint, and none with a byte altered does', async () => {
  const { proof, headsProof, note } = await writeEvidence();
  const [firstLine = '', extra = ''] = headsProof.split('\n');
  expect(extra).toContain(Buffer.from(note).toString('base64'));
  const trusted = headsProof.length - firstLine.length - extra.length - 2;
  for (const [at, altered] of changeBytes(headsProof)) {
    // What is on the line `extra` helps readers, and nothing rests on it.
    if (at > firstLine.length && at < headsProof.length - trusted) continue;
    expect(await findVerdict([proof, altered]), `byte ${at}`).not.toContain('in the heads log');
  }
});

it('a kept promise is kept, and an answer with a byte altered shows nothing', async () => {
  const { proof } = await writeEvidence();
  const answer = await writeAnswer();
  const check = (text: string) =>
    checkPromiseText(text, { ...trust, proofs: [proof] }, shown).verdict;
  expect(check(answer)).toBe('intact');
  for (const [at, altered] of changeBytes(answer))
    expect(check(altered), `byte ${at}: ${altered}`).toBe('cannot tell');
});

it('a promise of an entry that the log has not is broken, however its proof is altered it is never kept', async () => {
  const answer = await writeAnswer();
  const forged = [...entries.slice(0, -1)];
  const { payloadDigest, createdAt, sequence } = last;
  const link = { prevHash: ZERO_HASH, payloadDigest, sequence, createdAt };
  const other = computeChainHash(link);
  const leaves = [...forged.map(({ chainHash }) => chainHash), other].map((chainHash) =>
    hashLeaf(Buffer.from(chainHash, 'hex')),
  );
  const text = formatCheckpoint({ origin: ORIGIN, size: leaves.length, root: computeRoot(leaves) });
  const note = await signNote(text, toKey(ORIGIN), signText);
  const index = leaves.length - 1;
  const proof = formatProofFile({ index, path: toPath(leaves, index) }, note);
  const check = (file: string) => {
    const texts = { ...trust, proofs: [file] };
    return checkPromiseText(answer, texts, new Map([[sequence, other]])).verdict;
  };
  expect(check(proof)).toBe('tampered');
  for (const [at, altered] of changeBytes(proof))
    expect(check(altered), `byte ${at}`).toBe('cannot tell');
});
