// Parses a large body in parts, with the same result as in one piece.
import { describe, expect, test } from 'vitest';
import { atOnce, atOnceUnlessLarge } from '../../../src/domain/others-turn.ts';
import type { Json } from '../../../src/domain/record/json.ts';
import { parseSafeJson } from '../../../src/domain/record/safe-json.ts';
import { parseBody } from '../../../src/http/checks/body.ts';

const large = JSON.stringify({ text: '𝟘'.repeat(200_000), list: [1, -0, 'é'] });
const partsOf = (text: string, type = 'application/json') =>
  parseBody(Buffer.from(text), type, 'VALIDATION_ERROR');

describe('a body', () => {
  test('is decoded, searched for excess, parsed and checked, with a pause after each', () => {
    const parts = partsOf(large);
    let pauses = 0;
    let part = parts.next();
    for (; !part.done; part = parts.next()) pauses++;
    const decoded = Math.ceil(Buffer.byteLength(large) / 131_072);
    const searched = Math.ceil(large.length / 200_000);
    expect(pauses + 1).toBe(decoded + searched + 2);
    expect(part.value).toEqual(parseSafeJson(large));
  });

  test.each([
    ['small', '{"a":[1]}', 0],
    ['large', large, 1],
  ])('that is %s: yields at least the expected number of times', async (_name, text, least) => {
    let turns = 0;
    setImmediate(() => void turns++);
    const value = await atOnceUnlessLarge<Json | undefined>(Buffer.byteLength(text), partsOf(text));
    expect(turns).toBe(least);
    expect(value).toEqual(JSON.parse(text));
  });

  test.each(['{"a":', '{"a":1e400}', '\ud800'])('%j is refused with the same reason', (text) => {
    expect(() => atOnce(partsOf(text))).toThrow(/Invalid request body/);
  });
});
