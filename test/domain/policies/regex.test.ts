// Hostile patterns: refused or bounded when compiled, and linear in the text when searched.
import { describe, expect, it } from 'vitest';
import {
  compilePattern,
  patternLimits,
  PatternTooExpensive,
} from '../../../src/domain/policies/regex.ts';
import { compilePolicies } from '../../../src/domain/policies/compile.ts';
import { judge, policy } from './build.ts';

const long = 'a'.repeat(50_000) + '!';
let state = 1;
function advance(): boolean {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return state > 0x3fffffff;
}

/** No period that an automaton could remember: the bits of a linear congruential generator. */
const irregular = Array.from({ length: 50_000 }, () => (advance() ? 'a' : 'b')).join('') + 'cb';

describe('catastrophic patterns', () => {
  it.each([
    '^(a|a)*$',
    '^(a+)+$',
    '^(a*)*$',
    '^(a|aa)+$',
    '^(.*a){12}$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?:a|b)*a(?:a|b){100}c$',
  ])('%s ends on 50,000 characters without a match', (value) => {
    expect(judge([{ field: 'text', operator: 'regex', value }], { text: long })).toMatchObject({
      action: 'approve',
      failed: [],
    });
  });
});

describe('limits', () => {
  it('refuses a program that is too large, however short its text', () => {
    const result = compilePattern('[a-z]{900}');
    expect(result).toEqual({
      problem: 'compiles to 902 instructions, more than 500; use smaller repetitions',
    });
  });

  it('lets the largest program search the longest prompt', () => {
    expect(patternLimits.instructions * 50_000).toBeLessThanOrEqual(patternLimits.work);
  });

  it('compiles the same source once', () => {
    expect(compilePattern('a{1,3}b')).toBe(compilePattern('a{1,3}b'));
  });

  it('finds the same as the engine of the language on plain syntax', () => {
    for (const [source, text] of [
      ['b+c', 'abbc'],
      ['^\\d{3}-\\w$', '123-x'],
      ['(?i)total', 'TOTAL'],
      ['\\bhe\\b', 'the'],
    ] as const) {
      const result = compilePattern(source);
      const flags = source.startsWith('(?i)') ? 'i' : '';
      const expected = new RegExp(source.replace('(?i)', ''), flags).test(text);
      expect('pattern' in result && result.pattern.occursIn([text])).toBe(expected);
    }
  });
});

describe('a pattern whose automaton outgrows its memory', () => {
  const hostile: [source: string, remembered: number, end: string][] = [
    ['[ab]*a[ab]{200}[de]', 200, 'd'],
    ['(?:a|b)*a(?:a|b){400}c$', 400, 'c'],
    ['\\b(?:\\w*a\\w{300}c)$', 300, 'c'],
  ];
  const search = (source: string, texts: readonly string[]): boolean => {
    const result = compilePattern(source);
    if ('problem' in result) throw new Error(result.problem);
    return result.pattern.occursIn(texts);
  };
  const parts = Array.from(
    { length: 50 },
    (_, at) => `${irregular.slice(at * 1_000, (at + 1) * 1_000)}cb`,
  );

  it.each(hostile)('%s is searched in short texts', (source, remembered, end) => {
    expect(search(source, [irregular.slice(0, 3_000)])).toBe(false);
    expect(search(source, [`${irregular.slice(0, 2_000)}a${'b'.repeat(remembered)}${end}`])).toBe(
      true,
    );
  });

  it.each(hostile)(
    '%s is given up in long ones, in one and in many, whatever was searched before',
    (source) => {
      for (const texts of [[irregular], parts])
        for (const before of ['', 'abba', irregular.slice(0, 3_000)]) {
          search(source, [before]);
          expect(() => search(source, texts)).toThrow(PatternTooExpensive);
        }
    },
  );

  it('is unknown to a policy', () => {
    const error = 'text of 50002 characters is too long for a pattern with this many states';
    expect(
      judge([{ field: 'text', operator: 'regex', value: '[ab]*a[ab]{200}[de]' }], {
        text: irregular,
      }),
    ).toMatchObject({
      action: 'block',
      matched: [{ id: 'p', error }],
    });
  });
});

describe('text beyond the bound', () => {
  const conditions = [{ field: 'texts', operator: 'regex' as const, value: '[a-z]{400}!' }];
  const texts = Array.from({ length: 70 }, () => 'x'.repeat(1_000));

  it('is an error that a restricting policy takes for a match', () => {
    expect(judge(conditions, { texts })).toMatchObject({
      action: 'block',
      status: 'blocked',
      matched: [
        {
          id: 'p',
          error: 'text of 70000 characters is too long for a pattern of 403 instructions',
        },
      ],
    });
  });

  it('is an error that any other policy takes for no match, and reports', () => {
    const set = compilePolicies([
      policy({ id: 'n', conditions, actions: [{ type: 'notify' }, { type: 'approve' }] }),
    ]);
    const error = 'text of 70000 characters is too long for a pattern of 403 instructions';
    expect(set.evaluate({ texts })).toEqual({
      action: 'approve',
      status: 'approved',
      decidedBy: null,
      matched: [],
      failed: [{ id: 'n', revision: 1, name: 'Policy n', error }],
    });
  });
});
