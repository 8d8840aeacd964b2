// Limits in a set of policies: what counts where a limit is passed, and what a decision adds.
import { expect, test } from 'vitest';
import { compilePolicies, countLimited, type PolicyDefinition } from '../src/index.ts';

const limit = (more: object = {}) => ({
  of: 'metadata.tokens',
  per: 'agent',
  window: '24h',
  most: 10,
  ...more,
});
const policy = (actions: PolicyDefinition['actions'], more: object = {}): PolicyDefinition => ({
  id: 'p',
  revision: 1,
  name: 'Policy',
  description: '',
  priority: 1,
  conditions: [],
  actions,
  ...more,
});
const blocks = (more: object = {}) => ({ type: 'block' as const, config: { limit: limit(more) } });

test.each([
  [3, '3'],
  [0.25, '0.25'],
  [{ atLeast: 1, atMost: 4 }, '4'],
  [{ atLeast: 1, atMost: null }, null],
  [-1, null],
  ['many', null],
  [null, null],
  [undefined, null],
])('of %j a decision adds %j', (tokens, amount) => {
  const set = compilePolicies([policy([blocks()])]);
  const facts = { metadata: tokens === undefined ? {} : { tokens } };
  expect(set.evaluate(facts as never)).toMatchObject({
    status: 'approved',
    matched: [{ id: 'p', actions: [] }],
    limits: [{ policy: 'p', at: 0, type: 'block', amount }],
  });
});

test('the field of a limit is among those that a set reads, and acts are none', () => {
  const set = compilePolicies([policy([blocks(), blocks({ of: 'acts' })])]);
  expect([set.reads('metadata'), set.reads('acts'), set.fields]).toEqual([
    true,
    false,
    ['metadata.tokens'],
  ]);
});

test('of the actions of a policy those count that have no limit, and those whose limit is passed', () => {
  const flag = { type: 'flag_for_review' as const, config: { limit: limit({ most: 5 }) } };
  const set = compilePolicies([policy([flag, blocks(), { type: 'notify' }])]);
  const found = set.evaluate({ metadata: { tokens: 1 } });
  expect(found).toMatchObject({ action: 'notify', status: 'approved' });
  const pass = (...places: number[]) => countLimited(found, ({ at }) => places.includes(at));
  expect(pass()).toBe(found);
  expect(pass(0)).toMatchObject({ action: 'flag_for_review', status: 'flagged', decidedBy: 'p' });
  expect(pass(0, 1)).toMatchObject({ action: 'block', status: 'blocked' });
  expect(pass(1).matched[0]?.actions).toEqual(['notify', 'block']);
});

test('a policy in error restricts with its limited actions, too, and reserves nothing', () => {
  const conditions = [{ field: 'action.totalAmount', operator: 'greater_than' as const, value: 5 }];
  const set = compilePolicies([policy([blocks()], { conditions })]);
  const facts = { action: { totalAmount: { atLeast: 0, atMost: null } }, metadata: { tokens: 1 } };
  expect(set.evaluate(facts)).toMatchObject({ status: 'blocked', limits: [] });
});

test('an observing policy has no limits', () => {
  const set = compilePolicies([policy([blocks()], { observe: true })]);
  expect(set.evaluate({ metadata: { tokens: 1 } })).toMatchObject({
    status: 'approved',
    limits: [],
    observed: [{ id: 'p', actions: [] }],
  });
});
