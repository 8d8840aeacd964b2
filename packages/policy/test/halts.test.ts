// What a policy that blocks halts as well: which actions may say it, and which of several policies counts.
import { expect, test } from 'vitest';
import {
  type Action,
  checkPolicy,
  compilePolicies,
  type Condition,
  countLimited,
  findHalting,
  type PolicyDefinition,
} from '../src/index.ts';

const halts = (halt: string, more: object = {}): Action => ({
  type: 'block',
  config: { halt, ...more },
});
const policy = (id: string, actions: Action[], more: object = {}): PolicyDefinition => ({
  id,
  revision: 1,
  name: `Policy ${id}`,
  description: '',
  priority: 1,
  conditions: [],
  actions,
  ...more,
});
const limit = { of: 'acts', per: 'agent', window: '1h', most: 3 };

test.each<[Action, string | null]>([
  [halts('agent'), null],
  [halts('session'), null],
  [halts('agent', { limit }), null],
  [halts('workspace'), 'halt must be session or agent'],
  [halts(''), 'halt must be session or agent'],
  [{ type: 'block', config: { halt: true } }, 'halt must be session or agent'],
  [{ type: 'flag_for_review', config: { halt: 'agent' } }, 'halt is for the action block'],
  [{ type: 'notify', config: { halt: 'agent' } }, 'halt is for the action block'],
  [{ type: 'approve', config: { halt: 'session' } }, 'halt is for the action block'],
])('the action %j', (action, problem) => {
  const problems = checkPolicy([], [action]);
  expect(problems).toEqual(problem === null ? [] : [{ path: 'actions[0].config', text: problem }]);
});

const never: Condition = { field: 'tags', operator: 'contains', value: 'x' };
const failing: Condition = { field: 'metadata.many', operator: 'regex', value: 'a.*b' };

test.each<[string, PolicyDefinition[], string | null]>([
  ['none halts', [policy('a', [{ type: 'block' }])], null],
  ['one halts', [policy('a', [{ type: 'block' }]), policy('b', [halts('session')])], 'b session'],
  ['the widest', [policy('a', [halts('session')]), policy('b', [halts('agent')])], 'b agent'],
  ['the first', [policy('a', [halts('agent')]), policy('b', [halts('agent')])], 'a agent'],
  ['of one policy', [policy('a', [halts('session'), halts('agent')])], 'a agent'],
  ['that matches', [policy('a', [halts('agent')], { conditions: [never] })], null],
  ['that judges', [policy('a', [halts('agent')], { observe: true })], null],
  ['below its limit', [policy('a', [halts('agent', { limit })])], null],
])('%s', (_what, policies, expected) => {
  const found = findHalting(compilePolicies(policies).evaluate({ tags: [] }).matched);
  expect(found && `${found.id} ${found.halt}`).toBe(expected);
});

test('beyond its limit an action halts', () => {
  const set = compilePolicies([policy('a', [halts('session', { limit })])]);
  const passed = countLimited(set.evaluate({}), () => true);
  expect(passed.status).toBe('blocked');
  expect(findHalting(passed.matched)).toEqual({ id: 'a', name: 'Policy a', halt: 'session' });
});

test('a policy that could not be evaluated blocks, and halts nothing', () => {
  const set = compilePolicies([policy('a', [halts('agent')], { conditions: [failing] })]);
  const found = set.evaluate({ metadata: { many: 'a'.repeat(3_000_000) } });
  expect([found.status, found.matched[0]?.error]).toEqual(['blocked', expect.any(String)]);
  expect(findHalting(found.matched)).toBeNull();
});
