// Blind words: what is the same to a search has the same digest, and nothing of a word is left in it.
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/domain/others-turn.ts';
import {
  type Blind,
  blindBy,
  blindQuery,
  blindText as blindTextInParts,
} from '../../../src/domain/search/blind-words.ts';

const blindText = (text: string, blind: Blind): string => atOnce(blindTextInParts(text, blind));

/** Shows the words. */
const seen: Blind = (word) => `<${word}>`;

describe('a query', () => {
  it.each([
    ['refund', '<refund>'],
    ['Refund PAID', '<refund> <paid>'],
    ['"already paid"', '"<already> <paid>"'],
    ['refund -invoice', '<refund> -<invoice>'],
    ['"refund" -"already paid"', '"<refund>" -"<already> <paid>"'],
    ['-refund', '-<refund>'],
    ['refund-request', '<refund> <request>'],
    ['-refund-request', '-<refund> -<request>'],
    ['Café ZÜRICH', '<cafe> <zurich>'],
    ['cafe\u0301', '<cafe>'],
    ['"open end', '"<open> <end>"'],
    ['a"b c"d', '<a> "<b> <c>" <d>'],
    ['{"$gt":""}', '"<gt>"'],
    ['. * - "" -', ''],
    ['', ''],
  ])('%j is read as %j', (query, expected) => {
    expect(blindQuery(query, seen)).toBe(expected);
  });
});

it('a text keeps its words in their order, and nothing else', () => {
  expect(blindText('The refund-request (№ 7) — paid, "twice"!', seen)).toBe(
    '<the> <refund> <request> <7> <paid> <twice>',
  );
});

it('digests differ by word and by key, and show nothing', () => {
  const [one, other] = [blindBy(Buffer.alloc(32, 1)), blindBy(Buffer.alloc(32, 2))];
  expect(blindText('needle', one)).toMatch(/^[0-9a-f]{12}$/);
  expect(blindText('NEEDLE', one)).toBe(blindText('needle', one));
  expect(new Set([one('needle'), one('needles'), other('needle')]).size).toBe(3);
});

it('is linear in the length of its text', () => {
  const begin = performance.now();
  blindQuery('" -'.repeat(20_000), seen);
  blindText('a '.repeat(1_000_000), seen);
  expect(performance.now() - begin).toBeLessThan(2000);
});

it('digests a thousand words, then others have their turn', () => {
  const text = Array.from({ length: 10_000 }, (_, i) => i).join(' ');
  const parts = blindTextInParts(text, blindBy(Buffer.alloc(32, 1)));
  let pauses = 0;
  while (!parts.next().done) pauses++;
  expect(pauses).toBe(10);
});
