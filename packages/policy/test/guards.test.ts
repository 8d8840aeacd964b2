// The guard of a chain: which conditions the index may rely on, and what it may not conclude.
import { describe, expect, it } from 'vitest';
import type { Json } from '@assay/json';
import { compilePolicies } from '../src/compile.ts';
import type { Condition } from '../src/definition.ts';
import { compilePolicy } from '../src/policy.ts';
import { policy } from '../../../test/domain/policies/build.ts';

/** `a AND b`: letters are indexable conditions on that field, `x` is one that is not. */
function chain(text: string): Condition[] {
  const [first = '', ...rest] = text.split(/ (?=AND|OR)/);
  const parts = [['', first], ...rest.map((part) => part.split(' '))] as [string, string][];
  return parts.map(([, field], i): Condition => {
    const join = parts[i + 1]?.[0] === 'OR' ? 'OR' : 'AND';
    return {
      field,
      operator: field === 'x' ? 'less_than' : 'equals',
      value: 1,
      logicalOperator: join,
    };
  });
}

describe('guards', () => {
  it.each<[string, string[] | null]>([
    ['a', ['a']],
    ['x', null],
    ['a AND b', ['a']],
    ['x AND b', ['b']],
    ['x AND x AND c', ['c']],
    ['a AND x AND x', ['a']],
    ['a OR b', ['a', 'b']],
    ['a OR x', null],
    ['x OR a', null],
    ['a OR b AND c', ['c']],
    ['a OR b AND x', ['a', 'b']],
    ['a OR x AND c', ['c']],
    ['a AND x OR c', ['a', 'c']],
    ['a AND b OR x', null],
    ['x AND b OR c AND x', ['b', 'c']],
  ])('%s is guarded by %j', (text, expected) => {
    const { guard } = compilePolicy(policy({ id: 'p', conditions: chain(text) }));
    expect(guard?.map(({ field }) => field) ?? null).toEqual(expected);
  });

  it('does not index what is compared in depth', () => {
    const conditions: Condition[] = [{ field: 'a', operator: 'equals', value: ['x'] }];
    expect(compilePolicy(policy({ id: 'p', conditions })).guard).toBeNull();
  });

  it('keeps values of different types apart', () => {
    const values: Json[] = ['1', 1, true, 'true', null, 'null', 0];
    const set = compilePolicies(
      values.map((value, i) =>
        policy({ id: `${i}`, conditions: [{ field: 'a', operator: 'equals', value }] }),
      ),
    );
    for (const [i, value] of values.entries()) {
      expect(set.evaluate({ a: value }).matched.map(({ id }) => id)).toEqual([`${i}`]);
    }
    expect(set.evaluate({ a: -0 }).decidedBy).toBe('6');
    expect(set.evaluate({}).matched).toEqual([]);
  });

  it('names a policy once that two fields lead to', () => {
    const set = compilePolicies([policy({ id: 'p', conditions: chain('a OR b') })]);
    expect(set.evaluate({ a: 1, b: 1 }).matched.map(({ id }) => id)).toEqual(['p']);
  });
});
