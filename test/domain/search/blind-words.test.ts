// Blind words: words that a search treats alike have the same digest, which reveals nothing of the word.
import { describe, expect, it } from 'vitest';
import {
  type WordDigester,
  createWordDigester,
  parseBlindQuery,
  indexText,
} from '../../../src/domain/search/blind-words.ts';

const blindText = (text: string, blind: WordDigester): Promise<number[]> =>
  indexText(text, blind, () => Promise.resolve());

/** A number for each word, and the words by their numbers. */
const words: string[] = [];
const seen: WordDigester = (word) => {
  if (!words.includes(word)) words.push(word);
  return words.indexOf(word);
};
const named = (digests: readonly number[]): string =>
  digests.map((digest) => words[digest]).join(' ');

describe('a query', () => {
  it.each<[string, string, string[], string[]]>([
    ['refund', 'refund', [], []],
    ['Refund PAID', 'refund paid', [], []],
    ['"already paid"', '', ['already paid'], []],
    ['refund -invoice', 'refund', [], ['invoice']],
    ['"refund" -"already paid"', '', ['refund'], ['already paid']],
    ['-refund', '', [], ['refund']],
    ['refund-request', 'refund request', [], []],
    ['-refund-request', '', [], ['refund', 'request']],
    ['Café ZÜRICH', 'cafe zurich', [], []],
    ['cafe\u0301', 'cafe', [], []],
    ['"open end', '', ['open end'], []],
    ['a"b c"d', 'a d', ['b c'], []],
    ['{"$gt":""}', '', ['gt'], []],
    ['. * - "" -', '', [], []],
    ['', '', [], []],
  ])('%j is read as the words %j, the phrases %j, without %j', (query, one, phrases, excluded) => {
    const read = parseBlindQuery(query, seen);
    expect(read.words.map(named).join(' ')).toBe(one);
    expect(read.phrases.map(named)).toEqual(phrases);
    expect(read.excluded.map(named)).toEqual(excluded);
  });
});

it('a text keeps its words in their order, and nothing else', async () => {
  expect(named(await blindText('The refund-request (№ 7) — paid, "twice"!', seen))).toBe(
    'the refund request no 7 paid twice',
  );
});

it('digests differ by word and by key, and have 48 bits', async () => {
  const [one, other] = [
    createWordDigester(Buffer.alloc(32, 1)),
    createWordDigester(Buffer.alloc(32, 2)),
  ];
  expect(await blindText('NEEDLE', one)).toEqual(await blindText('needle', one));
  const digests = [one('needle'), one('needles'), other('needle')];
  expect(new Set(digests).size).toBe(3);
  for (const digest of digests) expect(digest).toBeLessThan(2 ** 48);
  expect(Math.max(...digests)).toBeGreaterThan(2 ** 40);
});

it('is linear in the length of its text', async () => {
  const begin = process.cpuUsage();
  parseBlindQuery('" -'.repeat(20_000), seen);
  await blindText('a '.repeat(1_000_000), seen);
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(2000);
});

it('digests a thousand words, then lets the event loop run', async () => {
  const text = Array.from({ length: 10_000 }, (_, i) => i).join(' ');
  let pauses = 0;
  await indexText(text, createWordDigester(Buffer.alloc(32, 1)), async () => void pauses++);
  // One after the text is folded, and ten between its words.
  expect(pauses).toBe(11);
});
