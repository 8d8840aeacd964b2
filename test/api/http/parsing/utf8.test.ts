// Bodies are decoded in parts: the same text, and the same refusals, as in one go.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce } from '../../../../src/domain/others-turn.ts';
import { decodeUtf8 } from '../../../../src/http/checks/utf8.ts';

/** Where the first part ends. */
const CUT = 128 * 1024;
const decode = (bytes: Buffer): string => atOnce(decodeUtf8(bytes));
const decodeAtOnce = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytes);
const readOutcome = (decoded: () => string): string | null => {
  try {
    return decoded();
  } catch {
    return null;
  }
};

const bytesAtTheCut = fc.uint8Array({ minLength: 1, maxLength: 12 });
const textAtTheCut = fc
  .string({ unit: fc.constantFrom('a', 'é', '€', '𝟘', '\uFEFF', '\0'), minLength: 1, maxLength: 6 })
  .map((text) => new TextEncoder().encode(text));

test('whatever stands where a part ends', () => {
  fc.assert(
    fc.property(
      fc.oneof(bytesAtTheCut, textAtTheCut),
      fc.nat(12),
      fc.boolean(),
      (bytes, before, hasMark) => {
        const raw = Buffer.alloc(CUT + 40, 'x');
        raw.set(bytes, CUT - before);
        if (hasMark) raw.set([0xef, 0xbb, 0xbf]);
        expect(readOutcome(() => decode(raw))).toBe(readOutcome(() => decodeAtOnce(raw)));
      },
    ),
  );
});

test.each([0, 1, CUT - 1, CUT, CUT + 1, 3 * CUT])('%i bytes', (length) => {
  expect(decode(Buffer.alloc(length, 'x'))).toBe('x'.repeat(length));
});

test('a part is no longer than its bytes', () => {
  const parts = decodeUtf8(Buffer.from('𝟘'.repeat(100_000)));
  let count = 1;
  while (!parts.next().done) count += 1;
  expect(count).toBe(4);
});
