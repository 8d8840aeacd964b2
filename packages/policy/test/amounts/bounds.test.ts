// Conditions on an amount of which only bounds are known: what holds either way is certain, the rest unknown.
import { describe, expect, it } from 'vitest';
import type { Json } from '@assay/json';
import type { Operator } from '../../src/definition.ts';
import { compilePolicies } from '../../src/compile.ts';
import { parseBounds, toAmountFact, type Bounds } from '../../src/amounts/bounds.ts';
import { policy } from '../../../../test/domain/policies/build.ts';

const LIMITS: Json = { atLeast: 5, atMost: 50 };
const UNREAD: Json = { atLeast: 5, atMost: null };

function judged(operator: Operator, value: Json, largestAmount: Json): string {
  const conditions = [{ field: 'action.largestAmount', operator, value }];
  const set = compilePolicies([
    policy({ id: 'block', conditions, actions: [{ type: 'block' }] }),
    policy({ id: 'approve', conditions, actions: [{ type: 'approve' }] }),
  ]);
  const { matched, failed } = set.evaluate({ action: { largestAmount } });
  if (failed.length > 0) {
    expect(matched).toMatchObject([{ id: 'block', error: failed[0]!.error }]);
    return 'unknown';
  }
  return matched.length === 2 ? 'true' : 'false';
}

describe('the fact', () => {
  it.each<[Bounds, Json]>([
    [{ atLeast: 5, atMost: 5 }, 5],
    [{ atLeast: 5, atMost: 50 }, LIMITS],
    [{ atLeast: 5, atMost: Infinity }, UNREAD],
  ])('of %j is %j, and is read back', (bounds, fact) => {
    expect(toAmountFact(bounds)).toEqual(fact);
    expect(parseBounds(fact)).toEqual(fact === 5 ? null : bounds);
  });
});

describe('bounds', () => {
  it.each<[Operator, Json, Json, string]>([
    ['greater_than', 4, LIMITS, 'true'],
    ['greater_than', 5, LIMITS, 'unknown'],
    ['greater_than', 49, LIMITS, 'unknown'],
    ['greater_than', 50, LIMITS, 'false'],
    ['greater_than', 4, UNREAD, 'true'],
    ['greater_than', 1e300, UNREAD, 'unknown'],
    ['less_than', 51, LIMITS, 'true'],
    ['less_than', 50, LIMITS, 'unknown'],
    ['less_than', 6, LIMITS, 'unknown'],
    ['less_than', 5, LIMITS, 'false'],
    ['less_than', 1e300, UNREAD, 'unknown'],
    ['equals', 5, LIMITS, 'unknown'],
    ['equals', 50, LIMITS, 'unknown'],
    ['equals', 51, LIMITS, 'false'],
    ['equals', 4, UNREAD, 'false'],
    ['equals', '5', LIMITS, 'false'],
    ['contains', 5, LIMITS, 'false'],
    ['regex', '5', UNREAD, 'false'],
    ['greater_than', '2026-01-01', UNREAD, 'false'],
    ['greater_than', 4, { atLeast: 5 }, 'false'],
    ['equals', 5, 5, 'true'],
  ])('%s %j of %j is %s', (operator, value, amount, truth) => {
    expect(judged(operator, value, amount)).toBe(truth);
  });
});
