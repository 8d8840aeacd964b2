// The built-in model: its hits among pairs of similar meaning, and the loss by byte vectors.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  createWordEmbedder,
  createWordVectors,
} from '../../../src/platform/embedding/word-embedder.ts';
import { PAIRS } from './pairs.ts';

const embedder = createWordEmbedder();

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb || 1);
}

/** Indexes of all texts but the query, nearest first. */
function ranked(query: ArrayLike<number>, vectors: readonly ArrayLike<number>[]): number[] {
  const scores = vectors.map((vector) => cosine(query, vector));
  return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
}

test('ranks most of thirty pairs first that hardly share a word', async () => {
  const [left, right] = await Promise.all(
    [0, 1].map(
      async (side) => (await embedder.embed(PAIRS.map((pair) => pair[side] ?? ''))) as Int8Array[],
    ),
  );
  const places = [
    ...(left ?? []).map((query, at) => ranked(query, right ?? []).indexOf(at)),
    ...(right ?? []).map((query, at) => ranked(query, left ?? []).indexOf(at)),
  ];
  const mean = (values: number[]): number => values.reduce((a, b) => a + b) / values.length;
  expect(mean(places.map((place) => Number(place === 0)))).toBeGreaterThan(0.6);
  expect(mean(places.map((place) => 1 / (place + 1)))).toBeGreaterThan(0.7);
});

test('byte vectors find at least 95 of the 100 hits of an exact search', async () => {
  const lines = readFileSync('samples/decisions.ndjson', 'utf8').trim().split('\n');
  const texts = [
    ...lines.map((line) => (JSON.parse(line) as Decision).inputContext.prompt),
    ...lines.map((line) => JSON.stringify((JSON.parse(line) as Decision).outputDecision)),
    ...PAIRS.flat(),
  ];
  const exact = await createWordVectors().computeVectors(texts);
  const bytes = (await embedder.embed(texts)).map((one) => one ?? new Int8Array(100));
  let hits = 0;
  for (const at of texts.keys()) {
    const scores = exact.map((vector) => cosine(exact[at] ?? [], vector));
    // A text as near as the tenth counts as a hit.
    const tenth = [...scores].sort((a, b) => b - a)[9] ?? 0;
    const found = ranked(bytes[at] ?? [], bytes).slice(0, 10);
    hits += found.filter((one) => (scores[one] ?? 0) >= tenth - 1e-9).length;
  }
  expect(hits / texts.length / 10).toBeGreaterThanOrEqual(0.95);
});

test('identifiers, case and Unicode form of a word do not matter', async () => {
  const [first, ...same] = await embedder.embed([
    'issue refund',
    'issueRefund',
    'issue_refund',
    'ISSUE REFUND!',
    '{"tool":"issue_refund"}'.replace('tool', '1'),
  ]);
  for (const one of same) expect(one).toEqual(first);
});

test.each(['', '   ', '123 456', 'xqzzt', '!!!', '\u{1f600}'])('%j has no vector', async (text) => {
  expect(await embedder.embed([text])).toEqual([null]);
});

interface Decision {
  inputContext: { prompt: string };
  outputDecision: object;
}
