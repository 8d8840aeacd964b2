// Each operator on each type of JSON, each way a path can end, and the chaining of conditions.
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '@assay/json';
import type { Condition, LogicalOperator, Operator } from '../src/definition.ts';
import { holds, judge } from '../../../test/domain/policies/build.ts';

type Row = [operator: Operator, value: Json, actual: Json, expected: boolean];

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
];

describe('operators', () => {
  it.each(rows)('%s %j on %j: %s', (...[operator, value, actual, expected]) => {
    expect(holds({ field: 'x', operator, value }, { x: actual })).toBe(expected);
  });

  it.each<Operator>(['equals', 'contains', 'greater_than', 'less_than', 'regex'])(
    '%s is false on an absent path',
    (operator) => {
      const value = operator.endsWith('than') ? 1 : 'a';
      expect(judge([{ field: 'x.y', operator, value }], { x: 'a' })).toMatchObject({
        action: 'approve',
        matched: [],
        failed: [],
      });
    },
  );
});

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
    const operators = [...joins].map((join): LogicalOperator => (join === 'A' ? 'AND' : 'OR'));
    const conditions = [0, 1, 2, 3].map((i): Condition => {
      const logicalOperator = operators[i];
      return {
        field: `c${i}`,
        operator: 'equals',
        value: 1,
        ...(logicalOperator && { logicalOperator }),
      };
    });
    const expected = operators.reduce((sum, join, i) => {
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
