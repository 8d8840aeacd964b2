// The verifier's set of digests: with a digest of zeros, beyond its initial size, and with many in one slot.
import { expect, test } from 'vitest';
import { MarkSet } from '../src/pins/mark-set.ts';

const hex = (mark: number | bigint): string => mark.toString(16).padStart(16, '0');
const LAST = 2n ** 64n - 1n;

test.each<[string, string[]]>([
  ['that of zeros', [hex(0)]],
  ['the first and the last', [hex(0), hex(1), hex(LAST)]],
  ['many in a row', Array.from({ length: 3000 }, (_, at) => hex(at))],
  ['many of one slot', Array.from({ length: 600 }, (_, at) => hex(BigInt(at) << 32n))],
  [
    'many at the end of the slots',
    Array.from({ length: 600 }, (_, at) => hex(LAST - (BigInt(at) << 20n))),
  ],
])('knows each once: %s', (_what, marks) => {
  const set = new MarkSet();
  expect(marks.filter((mark) => !set.add(mark))).toEqual([]);
  expect(marks.filter((mark) => set.add(mark))).toEqual([]);
});

test('another digest is another', () => {
  const set = new MarkSet();
  expect([set.add(hex(5)), set.add(hex(0)), set.add(hex(6)), set.add(hex(5))]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
