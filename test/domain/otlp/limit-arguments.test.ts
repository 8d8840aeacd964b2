// Arguments that are larger than an action may be: what is shown of them, and where the whole ones stand.
import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/json';
import { expect, test } from 'vitest';
import { limitArguments, truncateText } from '../../../src/domain/otlp/limit-arguments.ts';

const KIB = 1024;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const describeLong = (text: string): object => ({
  $sha256: digest(text),
  $bytes: Buffer.byteLength(text),
  $head: text.slice(0, 200),
});
/** An object whose JSON has this many bytes. */
const ofBytes = (bytes: number) => ({ text: 'x'.repeat(bytes - 11) });

test('up to 9 KiB they are shown as they are', () => {
  const given = ofBytes(9 * KIB);
  expect(limitArguments(given)).toEqual({ shown: given, whole: null });
});

test('above, long texts are described, wherever they are, and the whole stands beside', () => {
  const [long, short] = ['x'.repeat(2 * KIB + 1), 'y'.repeat(2 * KIB)];
  const given = { a: [long, { b: long }, 1, null, true], c: short, d: long, e: long };
  expect(limitArguments(given)).toEqual({
    shown: {
      a: [describeLong(long), { b: describeLong(long) }, 1, null, true],
      c: short,
      d: describeLong(long),
      e: describeLong(long),
    },
    whole: given,
  });
});

test('what has many short texts is described as one', () => {
  const given = Array.from({ length: 100 }, (_, index) => `${index}${'z'.repeat(100)}`);
  expect(limitArguments(given)).toEqual({
    shown: describeLong(canonicalize(given)),
    whole: given,
  });
});

test('above 95 KiB the whole ones are left out', () => {
  expect(limitArguments(ofBytes(95 * KIB)).whole).not.toBeNull();
  expect(limitArguments(ofBytes(95 * KIB + 1))).toEqual({
    shown: { text: describeLong('x'.repeat(95 * KIB - 10)) },
    whole: null,
  });
});

test('a text is cut to its characters', () => {
  expect([truncateText('abc', 3), truncateText('abcd', 3)]).toEqual(['abc', 'abc']);
});
