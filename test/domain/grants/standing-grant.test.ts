// The rules of standing grants: what is granted, what a use is, and when one is refused.
import fc from 'fast-check';
import { compileCatalogue, compilePolicies, deriveFacts, type Tool } from '@assay/policy';
import { expect, test } from 'vitest';
import { addSpending, sumSlots, type WindowSlot } from '../../../src/domain/budgets/spending.ts';
import {
  countUses,
  findUseFault,
  type GrantUse,
  isUsedUp,
  listEntrySpendings,
  toUseSpending,
} from '../../../src/domain/grants/grant-use.ts';
import {
  findGrantableCall,
  findStandingGrant,
  selectStanding,
  type StandingGrant,
} from '../../../src/domain/grants/standing-grant.ts';
import { chooseRuns } from '../../setup/runs.ts';

const VARIED = { tags: ['varied'] };
const ID = 'a'.repeat(24);
const AT = new Date('2026-12-01T00:00:00.000Z');
const UNTIL = '2026-12-01T01:00:00.000Z';
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  server: null,
  match: {},
  does: ['money'],
  gives: [],
  outside: null,
  directory: false,
  roles: {},
  after: [],
  ...more,
});
const catalogue = compileCatalogue([
  [tool('pay'), tool('drop', { does: ['delete'] }), tool('served', { server: 'bank' })],
]);
const calling = (name: string, given: object = {}, more: object = {}) =>
  ({ action: { tool: name, arguments: given, ...more } }) as never;

test.each<[string, never, string | null]>([
  ['one listed tool', calling('pay'), null],
  ['the same name in another style', calling('Pay'), null],
  ['a tool of its server', calling('served', {}, { server: 'bank' }), null],
  ['a tool of another server', calling('served', {}, { server: 'evil' }), 'not listed'],
  ['an unlisted tool', calling('other'), 'not listed'],
  ['a tool that deletes', calling('drop'), 'deletes'],
  ['no tool', { action: { amount: 3 } } as never, 'no tool by name'],
  ['nothing', {} as never, 'no tool by name'],
  [
    'two calls',
    { action: { tool: 'pay' }, toolCalls: [{ name: 'pay' }] } as never,
    'more than one',
  ],
])('%s', (_what, output, why) => {
  const found = findGrantableCall(output, catalogue);
  if (why === null) expect(found).not.toHaveProperty('why');
  else expect(found).toMatchObject({ why: expect.stringContaining(why) });
});

test('without a catalogue nothing is granted', () => {
  expect(findGrantableCall(calling('pay'), undefined)).toHaveProperty('why');
});

const policy = (id: string, config: object = {}, revision = 1) => ({
  id,
  revision,
  name: id,
  description: '',
  priority: 1,
  conditions: [],
  actions: [{ type: 'flag_for_review' as const, config: config as never }],
});
const matchedOf = (...policies: ReturnType<typeof policy>[]) => {
  const facts = { submitted: {}, at: AT, agentName: null, confidenceScore: 1, tags: [] };
  const pii = { types: [], outputTypes: [] };
  return compilePolicies(policies).evaluate(deriveFacts({ ...facts, pii }, () => true)).matched;
};
const grant = (more: Partial<StandingGrant> = {}): StandingGrant => ({
  id: ID,
  sequence: 1,
  uses: 3,
  until: UNTIL,
  agent: 'agent',
  workspaceId: 'workspace',
  tool: 'pay',
  server: null,
  toolDigest: catalogue.digestTool('pay') ?? '',
  when: [],
  policies: [{ id: 'one', revision: 1 }],
  ...more,
});

const bound = (operator: 'at_most' | 'regex' | 'in', field: string, value: never) => ({
  when: [{ field: `arguments.${field}`, operator, value }],
});
const ONE = [policy('one')];

test.each<[string, Partial<StandingGrant>, object, ReturnType<typeof policy>[], boolean]>([
  ['as it was given', {}, {}, ONE, true],
  ['another tool', { tool: 'served' }, {}, ONE, false],
  ['another server', { server: 'bank' }, {}, ONE, false],
  ['another listing', { toolDigest: 'f'.repeat(64) }, {}, ONE, false],
  ['within a bound', bound('at_most', 'amount', 5 as never), { amount: 5 }, ONE, true],
  ['above a bound', bound('at_most', 'amount', 5 as never), { amount: 6 }, ONE, false],
  ['text for a number', bound('at_most', 'amount', 5 as never), { amount: 'x' }, ONE, false],
  ['a missing argument', bound('at_most', 'amount', 5 as never), {}, ONE, false],
  ['a path prefix', bound('regex', 'path', '^/srv/' as never), { path: '/srv/a' }, ONE, true],
  ['another path', bound('regex', 'path', '^/srv/' as never), { path: '/etc' }, ONE, false],
  ['one of a list', bound('in', 'to', ['a'] as never), { to: 'a' }, ONE, true],
  ['a second policy', {}, {}, [policy('one'), policy('two')], false],
  ['another revision', {}, {}, [policy('one', {}, 2)], false],
  ['a policy that says no', {}, {}, [policy('one', { grantable: false })], false],
  ['several people', {}, {}, [policy('one', { approvals: { steps: [{ count: 2 }] } })], false],
  [
    'several people, where the policy allows it',
    {},
    {},
    [policy('one', { approvals: { steps: [{ count: 2 }] }, grantable: true })],
    true,
  ],
  ['no hold', {}, {}, [], false],
])('%s', (_what, terms, given, policies, isFound) => {
  const decision = { output: calling('pay', given), catalogue, matched: matchedOf(...policies) };
  expect(findStandingGrant([grant(terms)], decision) !== null).toBe(isFound);
});

test('only those of the agent and workspace stand, before their end, and not the ended', () => {
  const place = { agent: 'agent', workspaceId: 'workspace', at: AT, ended: [] };
  expect(selectStanding([grant()], place)).toHaveLength(1);
  expect(selectStanding([grant({ agent: 'other' })], place)).toEqual([]);
  expect(selectStanding([grant({ workspaceId: 'other' })], place)).toEqual([]);
  expect(selectStanding([grant()], { ...place, at: new Date(UNTIL) })).toEqual([]);
  expect(selectStanding([grant()], { ...place, ended: [ID] })).toEqual([]);
});

test('whatever the order, never more uses than given, and none after the end', VARIED, () => {
  const acts = fc.array(fc.constantFrom('use', 'use', 'use', 'end'), { maxLength: 40 });
  fc.assert(
    fc.property(acts, fc.integer({ min: 1, max: 12 }), (order, uses) => {
      let slots: WindowSlot[] = [];
      let [passed, isEnded] = [0, false];
      for (const act of order) {
        if (act === 'end') {
          if (isEnded) continue;
          isEnded = true;
          const entry = { grantId: ID, status: 'revoked', uses } as const;
          for (const one of listEntrySpendings(entry)) slots = addSpending(slots, one, AT);
          continue;
        }
        const after = addSpending(slots, toUseSpending({ id: ID }), AT);
        if (isUsedUp({ uses, until: UNTIL }, sumSlots(after).amount, AT)) {
          expect(isEnded || passed === uses).toBe(true);
          continue;
        }
        expect(isEnded).toBe(false);
        slots = after;
        passed++;
      }
      expect(passed).toBeLessThanOrEqual(uses);
      expect(countUses(sumSlots(slots).amount, { uses, isEnded })).toBe(passed);
    }),
    { numRuns: chooseRuns(100, 5_000) },
  );
});

test('the time of the entry counts, to the millisecond', () => {
  const one = sumSlots(addSpending([], toUseSpending({ id: ID }), AT)).amount;
  const last = new Date(Date.parse(UNTIL) - 1);
  expect(isUsedUp({ uses: 1, until: UNTIL }, one, last)).toBe(false);
  expect(isUsedUp({ uses: 1, until: UNTIL }, one, new Date(UNTIL))).toBe(true);
});

const USE: GrantUse = { id: ID, sequence: 2, uses: 3, until: UNTIL, toolDigest: 'd' };
const GIVEN = {
  grantId: ID,
  status: 'granted',
  agent: 'agent',
  workspaceId: 'workspace',
  toolDigest: 'd',
  uses: 3,
  until: UNTIL,
  sequence: 2,
} as const;
const DECISION = { sequence: 5, workspaceId: 'workspace', agent: 'agent', status: 'approved' };

test.each<[string, object, object, object | null, string | null]>([
  ['a use', {}, {}, {}, null],
  ['a held decision', {}, { status: 'flagged' }, {}, 'not approved'],
  ['no grant', {}, {}, null, 'none'],
  ['an end in the place of a grant', {}, {}, { status: 'revoked' }, 'none'],
  ['another place', { sequence: 3 }, {}, {}, 'none'],
  ['a later grant', {}, { sequence: 1 }, {}, 'later'],
  ['more uses', { uses: 4 }, {}, {}, 'other terms'],
  ['another tool', { toolDigest: 'e' }, {}, {}, 'other terms'],
  ['another agent', {}, { agent: 'b' }, {}, 'another agent'],
  ['another workspace', {}, { workspaceId: null }, {}, 'workspace'],
])('the service finds %s', (_what, use, decision, given, why) => {
  const fault = findUseFault(
    { ...USE, ...use },
    { ...DECISION, ...decision },
    given && { ...GIVEN, ...given },
  );
  if (why === null) expect(fault).toBeNull();
  else expect(fault).toContain(why);
});
