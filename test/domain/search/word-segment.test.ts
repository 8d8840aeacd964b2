// Word segments: packed decisions come back, each word is stored once, and queries find what they ask.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  findByWords,
  findHits,
  packDecisions,
  unpackDecisions,
} from '../../../src/domain/search/word-segment.ts';

const word = fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 2 ** 48 - 1 }));
const decision = fc.record({
  sequence: fc.nat({ max: 2 ** 32 - 1 }),
  generation: fc.nat({ max: 255 }),
  texts: fc.array(fc.array(word, { maxLength: 20 }), { maxLength: 3 }),
});

test('unpacks what was packed, and stores each word once', () => {
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 20 }), (decisions) => {
      const segment = packDecisions(decisions);
      expect([...unpackDecisions(segment)]).toEqual(decisions);
      const words = new Set(decisions.flatMap(({ texts }) => texts.flat()));
      expect(segment.words.toSorted()).toEqual([...words].toSorted());
    }),
  );
});

describe('of a decision with the texts 1 2 3 2 2 4 and 5 1', () => {
  const texts = [
    [1, 2, 3, 2, 2, 4],
    [5, 1],
  ];
  it.each([
    ['one word', [3], [], [], true],
    ['a word of the other text', [5], [], [], true],
    ['another word', [9], [], [], false],
    ['one of two words', [9, 4], [], [], true],
    ['nothing', [], [], [], false],
    ['nothing without a word', [], [], [[9]], false],
    ['a word without one that is not there', [1], [], [[9]], true],
    ['a word without one that is there', [1], [], [[4]], false],
    ['a word without a phrase that is there', [1], [], [[2, 3]], false],
    ['a word without a phrase that is not there', [1], [], [[3, 1]], true],
    ['a phrase', [], [[2, 3, 2]], [], true],
    ['a phrase that begins twice', [], [[2, 4]], [], true],
    ['a phrase in the wrong order', [], [[3, 1]], [], false],
    ['a phrase across texts', [], [[4, 5]], [], false],
    ['a phrase beyond the end', [], [[5, 1, 1]], [], false],
    [
      'two phrases',
      [],
      [
        [1, 2],
        [5, 1],
      ],
      [],
      true,
    ],
    [
      'two phrases, one of which is missing',
      [],
      [
        [1, 2],
        [1, 5],
      ],
      [],
      false,
    ],
    ['a missing phrase and a word', [1], [[1, 5]], [], false],
    ['a phrase and a missing word', [9], [[5, 1]], [], true],
  ])('%s', (_, words, phrases, excluded, expected) => {
    const others = { generation: 0, texts: [[7, 8]] };
    const segment = packDecisions([
      { sequence: 1, ...others },
      { sequence: 2, generation: 3, texts },
      { sequence: 5, ...others },
    ]);
    const found = findHits(segment, { words: words.map((word) => [word]), phrases, excluded });
    expect(found).toEqual(expected ? [{ sequence: 2, generation: 3 }] : []);
  });
});

test('finds the decisions that have a word of each set', () => {
  const segment = packDecisions([
    { sequence: 1, generation: 0, texts: [[1, 2], [3]] },
    { sequence: 2, generation: 1, texts: [[2, 4]] },
    { sequence: 3, generation: 0, texts: [] },
  ]);
  const find = (...sets: number[][]): number[] =>
    findByWords(
      segment,
      sets.map((set) => new Set(set)),
    ).map(({ sequence }) => sequence);
  expect(find([2])).toEqual([1, 2]);
  expect(find([2], [3, 4])).toEqual([1, 2]);
  expect(find([2], [3])).toEqual([1]);
  expect(find([2], [9])).toEqual([]);
  expect(find([])).toEqual([]);
});

test('looks into the first texts alone where that is asked for', () => {
  const segment = packDecisions([{ sequence: 1, generation: 0, texts: [[1], [2], [3]] }]);
  const find = (word: number, texts?: number): number =>
    findHits(segment, { words: [[word]], phrases: [], excluded: [] }, texts).length;
  expect([find(3), find(3, 2), find(2, 2)]).toEqual([1, 0, 1]);
});
