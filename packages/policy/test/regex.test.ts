// Hostile patterns: refused or bounded when compiled, and linear in the text when searched.
import { RE2JS } from 're2js';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '@assay/json';
import {
  compilePattern,
  patternLimits,
  PatternTooExpensive,
  Work,
  workLimits,
} from '@assay/patterns';
import { checkPolicy, type Condition } from '../src/definition.ts';
import { compilePolicies } from '../src/compile.ts';
import { judge, policy } from '../../../test/domain/policies/build.ts';

const OUT_OF_WORK = 'the conditions of this decision took all the work that one decision may cause';
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
      expect('pattern' in result && result.pattern.hasMatch([text], new Work(1_000))).toBe(
        expected,
      );
    }
  });
});

describe('a pattern whose automaton has too many states', () => {
  const hostile: [source: string, remembered: number, end: string][] = [
    ['[ab]*a[ab]{200}[de]', 200, 'd'],
    ['(?:a|b)*a(?:a|b){400}c$', 400, 'c'],
    ['\\b(?:\\w*a\\w{300}c)$', 300, 'c'],
  ];
  const search = (source: string, texts: readonly string[]): boolean => {
    const result = compilePattern(source);
    if ('problem' in result) throw new Error(result.problem);
    return result.pattern.hasMatch(texts, new Work(workLimits.conditions));
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
    expect(
      judge([{ field: 'text', operator: 'regex', value: '[ab]*a[ab]{200}[de]' }], {
        text: irregular,
      }),
    ).toMatchObject({
      action: 'block',
      matched: [{ id: 'p', error: OUT_OF_WORK }],
    });
  });
});

describe('the work of one decision', () => {
  const hostile = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      policy({
        id: `p${String(i).padStart(3, '0')}`,
        conditions: [
          { field: 'text', operator: 'regex', value: `a[ab]{13}[c-m]${'n?'.repeat(i)}x` },
        ],
      }),
    );

  it('is shared by all its patterns: past it a policy that restricts is in error, and matches', () => {
    const { matched, status } = compilePolicies(hostile(50)).evaluate({ text: irregular });
    expect(status).toBe('blocked');
    expect(new Set(matched.map(({ error }) => error))).toEqual(new Set([OUT_OF_WORK]));
    expect(matched.length).toBeGreaterThan(20);
  });

  it('starts again with every decision', () => {
    const set = compilePolicies(hostile(50));
    set.evaluate({ text: irregular });
    expect(set.evaluate({ text: 'abba' })).toMatchObject({ status: 'approved', matched: [] });
  });

  it.each<[string, Condition, JsonObject]>([
    ['a part of a text', { field: 'text', operator: 'contains', value: 'b' }, { text: long }],
    ['an element', { field: 'list', operator: 'contains', value: 'b' }, { list: [long, long] }],
    ['the same', { field: 'o', operator: 'equals', value: { a: [1, 2, 3, 4] } }, { o: {} }],
  ])('is spent on looking for %s', (_what, condition, facts) => {
    const set = compilePolicies([policy({ id: 'p', conditions: [condition] })]);
    expect(set.evaluate(facts, new Work(1_000_000))).toMatchObject({ matched: [] });
    expect(set.evaluate(facts, new Work(0))).toMatchObject({ matched: [{ error: OUT_OF_WORK }] });
  });
});

describe('a pattern that is refused', () => {
  it.each(['(a{1000})'.repeat(111), '((a{100}){9}){9}', '\\pL{400}', '(?:abcdefgh){1000}'])(
    '%s: by its repetitions, before it is compiled',
    (source) => {
      const compile = vi.spyOn(RE2JS, 'compile');
      const result = compilePattern(source);
      expect(result).toMatchObject({
        problem: expect.stringMatching(/^compiles to about \d+ instr/),
      });
      expect(compile).not.toHaveBeenCalled();
      compile.mockRestore();
    },
  );

  it('ends the compilation of its policy', () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const conditions = Array.from({ length: 50 }, (_, i) => ({
      field: 'text',
      operator: 'regex' as const,
      value: `known nowhere else[a-z]{${600 + i}}`,
    }));
    expect(checkPolicy(conditions, [{ type: 'block' }])).toMatchObject([
      { path: 'conditions[0].value' },
    ]);
    expect(compile).toHaveBeenCalledTimes(1);
    compile.mockRestore();
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
      limits: [],
      observed: [],
    });
  });
});
