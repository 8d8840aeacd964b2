// Which held decisions are alike, and when enough of them were approved for automatic approval.
import { describe, expect, test } from 'vitest';
import type { Json } from '@assay/json';
import {
  type Comparable,
  isMature,
  derivePattern,
  mustGoToPerson,
} from '../../src/domain/automatic-approval.ts';

const policy = { id: 'p1', revision: 1, error: null as string | null };
const held = (changes: Partial<Comparable> = {}): Comparable => ({
  workspaceId: 'w',
  agentId: 'a',
  agentName: 'Till',
  agentVersion: '1',
  outputDecision: { action: { tool: 'refund', arguments: { amount: 40, order: 'A-1' } } },
  evaluation: { tags: [], matchedPolicies: [policy] },
  facts: { pii: { outputTypes: [] } },
  ...changes,
});
const action = (given: Json, others: Record<string, Json> = {}): Partial<Comparable> => ({
  outputDecision: { action: given, ...others },
});
const refund = (args: Record<string, Json>): Partial<Comparable> =>
  action({ tool: 'refund', arguments: args });
const judged = (...policies: (typeof policy)[]): Partial<Comparable> => ({
  evaluation: { tags: [], matchedPolicies: policies },
});

describe('a pattern', () => {
  test.for<[string, Partial<Comparable>]>([
    ['another order', refund({ amount: 40, order: 'B-2' })],
    ['an amount of the same size', refund({ amount: 49.99, order: 'A-1' })],
    ['the tool in other letters', action({ tool: 'Refund', arguments: { amount: 21 } })],
    ['the order of policies', judged(policy)],
  ])('is the same for %s', ([, changes]) => {
    expect(derivePattern(held(changes))).toBe(derivePattern(held()));
  });

  test.for<[string, Partial<Comparable>]>([
    ['workspace', { workspaceId: 'v' }],
    ['agent', { agentId: 'b' }],
    ['version of the agent', { agentVersion: '2' }],
    ['tool', action({ tool: 'pay', arguments: { amount: 40 } })],
    ['second tool', action({ tool: 'refund', amount: 40 }, { toolCalls: [{ name: 'mail' }] })],
    ['larger amount', refund({ amount: 50.01 })],
    ['amount at all', refund({ order: 'A-1' })],
    ['longer list', refund({ amount: 40, orders: ['A', 'B', 'C'] })],
    ['receiver', refund({ amount: 40, to: 'x@else.example' })],
    ['revision of the policy', judged({ ...policy, revision: 2 })],
    ['second policy', judged(policy, { ...policy, id: 'p2' })],
  ])('is another one for another %s', ([, changes]) => {
    expect(derivePattern(held(changes))).toEqual(expect.any(String));
    expect(derivePattern(held(changes))).not.toBe(derivePattern(held()));
  });

  test.for<[string, Partial<Comparable>]>([
    ['an agent that is not registered', { agentName: null }],
    ['an action that is not kept', { outputDecision: null }],
    ['an action without a name', action({ amount: 40 })],
    ['a condition that could not be evaluated', judged({ ...policy, error: 'too long' })],
    ['personal data that was masked in it', { facts: { pii: { outputTypes: ['EMAIL'] } } }],
    [
      'scrubbing that came to its end',
      { evaluation: { tags: ['SCRUB_LIMIT'], matchedPolicies: [policy] } },
    ],
  ])('is not there for %s', ([, changes]) => {
    expect(derivePattern(held(changes))).toBeNull();
  });
});

test.for<[string, boolean, { approvals?: number; since?: string | null; last?: string }]>([
  ['enough, long ago, lately', true, {}],
  ['one too few', false, { approvals: 19 }],
  ['begun an hour too late', false, { since: '2026-05-24T01:00:00Z' }],
  ['no verdict for 31 days', false, { since: '2026-01-01', last: '2026-04-29' }],
  ['none at all', false, { since: null }],
])('%s: %s', ([, expected, { approvals = 20, since = '2026-05-24', last = '2026-05-30' }]) => {
  const pattern = {
    approvals,
    since: since === null ? null : new Date(since),
    lastVerdictAt: new Date(last),
  };
  const at = new Date('2026-05-31T00:00:00Z');
  expect(isMature(pattern, { approvals: 20, days: 7 }, at)).toBe(expected);
});

test('critical decisions go to a person, and a tenth of the rest', () => {
  expect(mustGoToPerson({ priority: 'critical' }, '0000000b')).toBe(true);
  expect(mustGoToPerson({ priority: 'low', approvals: {} }, '0000000b')).toBe(true);
  expect(mustGoToPerson({ priority: 'low' }, '0000000b')).toBe(false);
  const hashes = Array.from({ length: 1000 }, (_, at) => at.toString(16).padStart(8, '0'));
  expect(hashes.filter((hash) => mustGoToPerson({ priority: 'high' }, hash))).toHaveLength(100);
});
