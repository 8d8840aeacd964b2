// Untrusted JSON: values that are refused, values that pass, and the limit of nesting.
// @module-tag varied
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSafeJson, UnsafeJson } from '../src/safe-json.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

function refusal(text: string): UnsafeJson {
  try {
    parseSafeJson(text);
  } catch (error) {
    if (error instanceof UnsafeJson) return error;
    throw error;
  }
  throw new Error('accepted');
}

const nested = (levels: number, open = '[', close = ']') =>
  open.repeat(levels) + close.repeat(levels);

describe('safe JSON', () => {
  it('refuses a thousand open containers before parsing, and ignores brackets in texts', () => {
    const deep = { name: 'UnsafeJson', path: '', reason: 'nested deeper than 32' };
    for (const text of ['['.repeat(20_000), '{"a":'.repeat(20_000)])
      expect(() => parseSafeJson(text)).toThrow(expect.objectContaining(deep));
    const brackets = JSON.stringify(`"${'\\"[{'.repeat(10_000)}`);
    expect(parseSafeJson(brackets)).toBe(JSON.parse(brackets));
  });

  it.each([
    ['a lone surrogate', String.raw`{"a":["x","\ud800"]}`, '/a/1', 'a lone surrogate'],
    ['a lone surrogate, unescaped', '{"a":"\udfff"}', '/a', 'a lone surrogate'],
    ['surrogates in the wrong order', String.raw`"\udc00\ud800"`, '', 'a lone surrogate'],
    ['NUL', String.raw`{"a":{"b":"x\u0000"}}`, '/a/b', 'a NUL character'],
    ['NUL in a key', String.raw`{"a":{"x\u0000":1}}`, '/a', 'a key with a NUL character'],
    ['a lone surrogate in a key', String.raw`[{"\ud83d":1}]`, '/0', 'a key with a lone surrogate'],
    ['a number out of range', '[0,1e400]', '/1', 'a number out of range'],
    ['a negative number out of range', '-1e400', '', 'a number out of range'],
    ['an integer beyond 2^53 - 1', '{"a":9007199254740992}', '/a', 'an integer beyond 2^53 - 1'],
    ['one that rounds to it', '{"a":9007199254740991.5}', '/a', 'an integer beyond 2^53 - 1'],
    ['a negative one', '-9007199254740993', '', 'an integer beyond 2^53 - 1'],
    ['one with an exponent', '1e300', '', 'an integer beyond 2^53 - 1'],
    ['__proto__', '{"a":{"__proto__":{}}}', '/a', 'the key __proto__ is not allowed'],
    [
      '__proto__, escaped',
      String.raw`{"\u005f_proto__":1}`,
      '',
      'the key __proto__ is not allowed',
    ],
    ['33 levels', nested(33), '/0'.repeat(32), 'nested deeper than 32'],
    [
      '33 levels of objects',
      '{"a":'.repeat(33) + '1' + '}'.repeat(33),
      '/a'.repeat(32),
      'nested deeper than 32',
    ],
    ['keys that a pointer escapes', '{"a/b":{"~":1e400}}', '/a~1b/~0', 'a number out of range'],
  ] as const)('refuses %s', (...[, text, path, reason]) => {
    expect(refusal(text)).toMatchObject({ path, reason });
  });

  it.each([100_000, 1_000_000])('refuses %d levels without overflowing the stack', (levels) => {
    expect(refusal(nested(levels)).reason).toBe('nested deeper than 32');
    expect(refusal('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)).reason).toBe(
      'nested deeper than 32',
    );
  });

  it.each([
    ['elements', (many: number) => `[${'1,'.repeat(many - 2)}1]`],
    ['members', (many: number) => `{${'"a":1,'.repeat(many - 2)}"a":1}`],
    ['containers', (many: number) => `[${'[],'.repeat(many / 2 - 2)}[]]`],
  ])('counts %s, of all levels together', (_name, text) => {
    expect(refusal(text(20_002)).reason).toBe('more than 20000 members and elements');
    expect(() => parseSafeJson(text(20_000))).not.toThrow();
  });

  it('does not count separators in texts', () => {
    expect(parseSafeJson(JSON.stringify(['[{,'.repeat(30_000)]))).toEqual(['[{,'.repeat(30_000)]);
  });

  it.each([
    ['32 levels', nested(32)],
    ['the greatest safe integer', '9007199254740991'],
    ['a fraction', '1e-400'],
    ['a pair of surrogates', String.raw`"\ud83d\ude00"`],
    ['other control characters', String.raw`"\u0001\u001f"`],
    ['keys of other prototypes', '{"constructor":1,"prototype":2,"toString":3}'],
  ])('accepts %s', (_name, text) => {
    expect(parseSafeJson(text)).toEqual(JSON.parse(text));
  });

  it('turns -0 into 0 at any depth', () => {
    const value = parseSafeJson('{"a":[-0,-0.0,-1e-400],"b":-0}') as { a: number[]; b: number };
    expect([...value.a, value.b].every((number) => Object.is(number, 0))).toBe(true);
    expect(Object.is(parseSafeJson('-0'), 0)).toBe(true);
  });

  it('keeps the last of duplicate keys', () => {
    expect(parseSafeJson('{"a":1e400,"a":2}')).toEqual({ a: 2 });
  });

  it.each(['', '{', '{"a":1}}', '\u0000', "{'a':1}", 'NaN'])('leaves %j to the parser', (text) => {
    expect(() => parseSafeJson(text)).toThrow(SyntaxError);
  });

  it('changes nothing else', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, stringUnit: 'grapheme' }), (text) => {
        const plain: unknown = JSON.parse(text, (_key, value: unknown) =>
          value === 0 ? 0 : value,
        );
        let safe: unknown;
        try {
          safe = parseSafeJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafeJson);
          return;
        }
        expect(safe).toEqual(plain);
      }),
      { numRuns: chooseRuns(200, 500) },
    );
  });
});
