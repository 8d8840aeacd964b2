// Which conditions and actions may be saved, and where a refusal points.
import { describe, expect, it } from 'vitest';
import type { Json } from '@assay/json';
import {
  checkPolicy,
  policyLimits,
  type Action,
  type Condition,
  type Operator,
} from '../src/definition.ts';

const block: Action[] = [{ type: 'block' }];
const plain: Condition = { field: 'confidenceScore', operator: 'less_than', value: 0.5 };

function paths(conditions: Condition[], actions: Action[] = block): string[] {
  return checkPolicy(conditions, actions).map(({ path }) => path);
}

describe('fields', () => {
  it.each([
    'confidenceScore',
    'tags',
    'outputDecision.action.tool',
    'a.0.b',
    'metadata.cost centre',
    'métadonnées.é',
    'x'.repeat(200),
  ])('accepts %s', (field) => expect(paths([{ field, operator: 'equals', value: 1 }])).toEqual([]));

  it.each([
    '',
    '.',
    'a..b',
    '.a',
    'a.',
    '__proto__',
    'a.__proto__.b',
    'a.constructor',
    'prototype',
    'a\nb',
    'a\u0000',
    'x'.repeat(201),
    Array(17).fill('a').join('.'),
  ])('refuses %j', (field) => {
    expect(paths([plain, { field, operator: 'equals', value: 1 }])).toEqual([
      'conditions[1].field',
    ]);
  });
});

describe('values', () => {
  it.each<[Operator, Json, boolean]>([
    ['equals', null, true],
    ['equals', { a: [1] }, true],
    ['equals', '', true],
    ['contains', 'a', true],
    ['contains', 0, true],
    ['contains', false, true],
    ['contains', '', false],
    ['contains', null, false],
    ['contains', ['a'], false],
    ['contains', {}, false],
    ['greater_than', 0, true],
    ['greater_than', '2026-01-31', true],
    ['greater_than', '2026-01-31T09:00Z', true],
    ['greater_than', '2026-01-31T09:00:00.123456+02:00', true],
    ['greater_than', '2026-01-31T09:00:00', false],
    ['greater_than', '2026-02-30', false],
    ['greater_than', '5', false],
    ['greater_than', null, false],
    ['greater_than', NaN, false],
    ['less_than', Infinity, false],
    ['less_than', true, false],
    ['less_than', [1], false],
    ['regex', '^a+$', true],
    ['regex', '', false],
    ['regex', 1, false],
    ['regex', '(a', false],
    ['regex', '(?=a)', false],
    ['regex', '(a)\\1', false],
    ['regex', 'a'.repeat(1001), false],
    ['regex', '[a-z]{1000}', false],
    ['equals', 'x'.repeat(10_000), false],
  ])('%s %j: %s', (operator, value, accepted) => {
    expect(paths([{ field: 'a', operator, value }])).toEqual(
      accepted ? [] : ['conditions[0].value'],
    );
  });

  it('says what the engine refuses about a pattern', () => {
    expect(checkPolicy([{ field: 'a', operator: 'regex', value: 'x(?!y)' }], block)).toEqual([
      {
        path: 'conditions[0].value',
        text: 'is not a valid RE2 pattern: invalid or unsupported Perl syntax: `(?!`',
      },
    ]);
  });
});

describe('limits', () => {
  it('accepts no conditions and the greatest counts', () => {
    expect(paths([])).toEqual([]);
    expect(
      paths(
        Array<Condition>(policyLimits.conditions).fill(plain),
        Array<Action>(10).fill({ type: 'notify' }),
      ),
    ).toEqual([]);
  });

  it('refuses too many conditions, no action and too many actions', () => {
    expect(paths(Array<Condition>(51).fill(plain))).toEqual(['conditions']);
    expect(paths([], [])).toEqual(['actions']);
    expect(paths([], Array<Action>(11).fill({ type: 'notify' }))).toEqual(['actions']);
  });

  it('bounds the config of an action', () => {
    expect(
      paths([], [{ type: 'block' }, { type: 'notify', config: { text: 'x'.repeat(10_000) } }]),
    ).toEqual(['actions[1].config']);
  });
});
