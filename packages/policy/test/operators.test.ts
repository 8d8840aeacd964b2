// Each operator on each type of JSON, each way a path can end, and the chaining of conditions.
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import { Work } from '@assay/patterns';
import { compilePolicies } from '../src/compile.ts';
import {
  type Condition,
  type LogicalOperator,
  type Operator,
  operators,
} from '../src/definition.ts';
import type { NamedLists } from '../src/values/lists.ts';
import { holds, judge, policy } from '../../../test/domain/policies/build.ts';
import { computePolicySetDigest } from '../../../test/domain/record/policy-set-digest.ts';

type Row = [operator: Operator, value: Json, actual: Json, expected: boolean];

const LISTS: NamedLists = {
  partners: { digest: 'a'.repeat(64), values: new Set<Json>(['acme.com', 'b.org', 7]) },
  none: { digest: 'b'.repeat(64), values: new Set() },
};

const rows: Row[] = [
  ['equals', 'a', 'a', true],
  ['equals', 'a', 'A', false],
  ['equals', 'é', 'e\u0301', false],
  ['equals', '1', 1, false],
  ['equals', 1, '1', false],
  ['equals', 1, 1.0, true],
  ['equals', 0, -0, true],
  ['equals', true, true, true],
  ['equals', true, 'true', false],
  ['equals', false, null, false],
  ['equals', null, null, true],
  ['equals', 'a', ['a'], false],
  ['equals', ['a', 'b'], ['a', 'b'], true],
  ['equals', ['a', 'b'], ['b', 'a'], false],
  ['equals', ['a'], ['a', 'b'], false],
  ['equals', { a: 1, b: { c: [2] } }, { b: { c: [2] }, a: 1 }, true],
  ['equals', { a: 1 }, { a: 1, b: 2 }, false],
  ['equals', { a: 1, b: 2 }, { a: 1, c: 2 }, false],
  ['equals', {}, [], false],
  ['equals', [], {}, false],
  ['equals', { 0: 'a' }, ['a'], false],
  ['contains', 'ell', 'hello', true],
  ['contains', 'ELL', 'hello', false],
  ['contains', 1, 'a1', false],
  ['contains', 'x', ['x', 'y'], true],
  ['contains', 'x', ['xy'], false],
  ['contains', 1, [1, 2], true],
  ['contains', 1, ['1'], false],
  ['contains', true, [false, true], true],
  ['contains', 'x', [['x']], false],
  ['contains', 'x', { x: 1 }, false],
  ['contains', 1, 1, false],
  ['contains', 'null', null, false],
  ['greater_than', 1, 1.5, true],
  ['greater_than', 1, 1, false],
  ['greater_than', 1, '2', false],
  ['greater_than', 1, [2], false],
  ['greater_than', 1, null, false],
  ['greater_than', 0, true, false],
  ['less_than', 1, 0.5, true],
  ['less_than', 1, 1, false],
  ['less_than', 1, '', false],
  ['greater_than', '2026-01-31', '2026-02-01', true],
  ['greater_than', '2026-01-31', '2026-01-31T00:00:00Z', false],
  ['greater_than', '2026-01-31T12:00:00Z', '2026-01-31T12:30:00+01:00', false],
  ['less_than', '2026-01-31T12:00:00Z', '2026-01-31T12:30:00+01:00', true],
  ['greater_than', '2026-01-31', 1_800_000_000_000, false],
  ['greater_than', '2026-01-31', 'tomorrow', false],
  ['less_than', '2026-01-31', '2025-02-30', false],
  ['less_than', '2026-01-31', '2025-01-01T00:00:00', false],
  ['less_than', 5, '2025-01-01', false],
  ['regex', 'b+', 'abbc', true],
  ['regex', '^b', 'abbc', false],
  ['regex', '(?i)ABBC', 'abbc', true],
  ['regex', '^b$', ['a', 'b'], true],
  ['regex', '^ab$', ['a', 'b'], false],
  ['regex', '1', 1, false],
  ['regex', '1', [1, null, { a: '1' }], false],
  ['regex', 'a', { a: 'a' }, false],
  ['regex', 'null', null, false],
  ['at_least', 1, 1, true],
  ['at_least', 1, 1.5, true],
  ['at_least', 1, 0.5, false],
  ['at_least', 1, '1', false],
  ['at_most', 1, 1, true],
  ['at_most', 1, 1.5, false],
  ['at_most', 1, null, false],
  ['at_most', 0, false, false],
  ['at_least', '2026-01-31', '2026-01-31T00:00:00Z', true],
  ['at_least', '2026-01-31', 'tomorrow', false],
  ['at_most', '2026-01-31T12:00:00Z', '2026-01-31T12:30:00+01:00', true],
  ['at_most', '2026-01-31', 'tomorrow', false],
  ['in', ['a', 'b'], 'a', true],
  ['in', ['a', 'b'], 'A', false],
  ['in', ['a', 'b'], 'ab', false],
  ['in', [1, true], 1, true],
  ['in', [1, true], '1', false],
  ['in', [0], -0, true],
  ['in', [1, true], true, true],
  ['in', ['null'], null, false],
  ['in', ['a', 'b'], ['b', 'a', 'a'], true],
  ['in', ['a', 'b'], ['a', 'c'], false],
  ['in', ['a', 'b'], [], true],
  ['in', ['a'], [['a']], false],
  ['in', ['a'], { a: 'a' }, false],
  ['any_in', ['a', 'b'], ['c', 'b'], true],
  ['any_in', ['a', 'b'], ['c'], false],
  ['any_in', ['a', 'b'], [], false],
  ['any_in', ['a', 'b'], 'b', true],
  ['any_in', ['a', 'b'], null, false],
  ['any_in', ['a'], [['a']], false],
  ['in', { list: 'partners' }, ['acme.com', 'b.org'], true],
  ['in', { list: 'partners' }, ['acme.com', 'c.org'], false],
  ['any_in', { list: 'partners' }, ['x', 7], true],
  ['in', { list: 'none' }, 'acme.com', false],
];

describe('operators', () => {
  it.each(rows)('%s %j on %j: %s', (...[operator, value, actual, expected]) => {
    expect(matches({ field: 'x', operator, value }, { x: actual })).toBe(expected);
    expect(matches({ field: 'x', operator, value, not: true }, { x: actual })).toBe(!expected);
  });

  it.each(operators)('%s is false on an absent path, and turned round it is true', (operator) => {
    const values: Partial<Record<Operator, Json>> = { in: ['a'], any_in: ['a'] };
    const value = values[operator] ?? (/than|at_/.test(operator) ? 1 : 'a');
    const condition: Condition = { field: 'x.y', operator, value };
    expect(judge([condition], { x: 'a' })).toMatchObject({
      action: 'approve',
      matched: [],
      failed: [],
    });
    const { action, matched } = judge([{ ...condition, not: true }], { x: 'a' });
    expect([action, matched[0]?.error]).toEqual(['block', null]);
  });
});

describe('what cannot be evaluated', () => {
  const long = ['x'.repeat(70_000)];
  const conditions: [string, Condition, JsonObject, RegExp][] = [
    ['a pattern', { field: 'x', operator: 'regex', value: '[a-z]{400}!' }, { x: long }, /too long/],
    [
      'an amount',
      { field: 'action.totalAmount', operator: 'at_least', value: 100 },
      { action: { totalAmount: { atLeast: 1, atMost: 1000 } } },
      /read in several ways/,
    ],
    [
      'an amount in values',
      { field: 'action.totalAmount', operator: 'in', value: [1, 5] },
      { action: { totalAmount: { atLeast: 5, atMost: 1000 } } },
      /read in several ways/,
    ],
    [
      'a list that there is not',
      { field: 'x', operator: 'in', value: { list: 'gone' } },
      { x: 'a' },
      /no list "gone"/,
    ],
  ];

  it.each(conditions)('%s: restricts, and approves nothing, with "not" as without', (...row) => {
    const [, condition, facts, error] = row;
    for (const tried of [condition, { ...condition, not: true as const }]) {
      const restricting = judge([tried], facts);
      expect(restricting.action).toBe('block');
      expect(restricting.matched[0]?.error).toMatch(error);
      const approving = compilePolicies([
        policy({ id: 'p', conditions: [tried], actions: [{ type: 'approve' }] }),
      ]).evaluate(facts);
      expect(approving).toMatchObject({ matched: [], decidedBy: null });
      expect(approving.failed[0]?.error).toMatch(error);
    }
  });

  it('stays unknown where the value was not kept, with "not" as without', () => {
    const unknown = new Set(['x']);
    for (const not of [undefined, true as const]) {
      const condition: Condition = {
        field: 'x',
        operator: 'in',
        value: ['a'],
        ...(not && { not }),
      };
      const set = compilePolicies([policy({ id: 'p', conditions: [condition] })]);
      expect(set.evaluateAgain({}, unknown)).toEqual({ matched: [], undecided: ['p'] });
    }
  });

  it('takes its work before it is done', () => {
    const condition: Condition = { field: 'x', operator: 'in', value: ['a'] };
    const set = compilePolicies([policy({ id: 'p', conditions: [condition] })]);
    const items = Array.from({ length: 1_000 }, () => 'a');
    expect(set.evaluate({ x: items }, new Work(999)).matched[0]?.error).toMatch(/all the work/);
    expect(set.evaluate({ x: items }, new Work(2_000)).matched[0]?.error).toBeNull();
  });
});

describe('the digest of a set', () => {
  const inline: Condition = { field: 'x', operator: 'in', value: { list: 'partners' } };
  const hashOf = (lists: NamedLists) =>
    compilePolicies([policy({ id: 'p', conditions: [inline], lists })]).digest;

  it('names the contents of the lists, and nothing where there are none', () => {
    const plain = [policy({ id: 'p', conditions: [{ field: 'x', operator: 'equals', value: 1 }] })];
    expect(compilePolicies(plain).digest).toBe(computePolicySetDigest(plain));
    const digest = 'a'.repeat(64);
    const named = [{ ...inline, value: { list: 'partners', digest } }];
    expect(hashOf(LISTS)).toBe(computePolicySetDigest([policy({ id: 'p', conditions: named })]));
    expect(hashOf({ partners: { ...LISTS['partners']!, digest: 'c'.repeat(64) } })).not.toBe(
      hashOf(LISTS),
    );
  });

  it('keeps a compiled policy no longer than its lists', () => {
    const cache = new Map();
    const evaluate = (values: Json[], digest: string) =>
      compilePolicies(
        [
          policy({
            id: 'p',
            conditions: [inline],
            lists: { partners: { digest: digest.repeat(64), values: new Set(values) } },
          }),
        ],
        cache,
      ).evaluate({ x: 'a' }).action;
    expect([evaluate(['a'], 'a'), evaluate(['b'], 'b'), evaluate(['a'], 'a')]).toEqual([
      'block',
      'approve',
      'block',
    ]);
  });
});

/** Whether the condition holds, given the lists above. */
function matches(condition: Condition, facts: JsonObject): boolean {
  const set = compilePolicies([policy({ id: 'p', conditions: [condition], lists: LISTS })]);
  const { matched, failed } = set.evaluate(facts);
  expect([failed, matched[0]?.error ?? null]).toEqual([[], null]);
  return matched.length === 1;
}

describe('paths', () => {
  const facts: JsonObject = {
    outputDecision: {
      action: { tool: 'refund', arguments: { items: [{ sku: 'a' }, { sku: 'b' }] } },
    },
    text: 'refund',
    tags: ['A'],
    'a.b': 1,
  };

  it.each<[string, Json, boolean]>([
    ['outputDecision.action.tool', 'refund', true],
    ['outputDecision.action.arguments.items.1.sku', 'b', true],
    ['outputDecision.action.arguments.items.01.sku', 'b', false],
    ['outputDecision.action.arguments.items.2.sku', 'b', false],
    ['outputDecision.action.arguments.items.-1.sku', 'b', false],
    ['tags.length', 1, false],
    ['tags.0', 'A', true],
    ['text.length', 6, false],
    ['text.0', 'r', false],
    ['outputDecision.toString', 'x', false],
    ['a.b', 1, false],
  ])('%s equals %j: %s', (field, value, expected) => {
    expect(holds({ field, operator: 'equals', value }, facts)).toBe(expected);
  });
});

describe('chaining', () => {
  const cases = ['AAA', 'AOA', 'OAO', 'OOA', 'AAO', 'OAA', 'AOO', 'OOO'].flatMap((joins) =>
    Array.from({ length: 16 }, (_, bits) => [joins, bits] as const),
  );

  it.each(cases)('%s reads left to right without precedence over %i', (joins, bits) => {
    const facts = Object.fromEntries([0, 1, 2, 3].map((i) => [`c${i}`, (bits >> i) & 1]));
    const joined = [...joins].map((join): LogicalOperator => (join === 'A' ? 'AND' : 'OR'));
    const conditions = [0, 1, 2, 3].map((i): Condition => {
      const logicalOperator = joined[i];
      return {
        field: `c${i}`,
        operator: 'equals',
        value: 1,
        ...(logicalOperator && { logicalOperator }),
      };
    });
    const expected = joined.reduce((sum, join, i) => {
      const next = facts[`c${i + 1}`] === 1;
      return join === 'AND' ? sum && next : sum || next;
    }, facts['c0'] === 1);
    expect(judge(conditions, facts).action).toBe(expected ? 'block' : 'approve');
  });

  it('ignores the operator of the last condition, and joins by AND by default', () => {
    const conditions: Condition[] = [
      { field: 'a', operator: 'equals', value: 1 },
      { field: 'b', operator: 'equals', value: 1, logicalOperator: 'OR' },
    ];
    expect(judge(conditions, { a: 1, b: 0 }).action).toBe('approve');
    expect(judge(conditions, { a: 1, b: 1 }).action).toBe('block');
  });

  it('matches every decision when there are no conditions', () => {
    expect(judge([], {}).action).toBe('block');
  });
});
