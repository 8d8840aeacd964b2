// A delegate approves in the place of a member for a time: which places that gives, who counts, and what the chain says.
import { beforeAll, expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { changeMembership, createMember } from '../../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createWorkspaceKey,
  type Owner,
} from '../../../setup/personas.ts';
import { toOutcome } from '../../../setup/start-app.ts';

const DAY = 24 * 3_600_000;
const PATH = '/api/v1/team/delegations';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const people = {} as Record<'rita' | 'rolf' | 'adam' | 'vera', Owner>;
let key = '';
let tools = 0;

beforeAll(async () => {
  people.rita = await createMember(harness, ada, 'reviewer');
  people.rolf = await createMember(harness, ada, 'reviewer');
  people.adam = await createMember(harness, ada, 'admin');
  people.vera = await createMember(harness, ada, 'viewer');
  ({ key } = await createWorkspaceKey(app, ada));
});

const inDays = (days: number): string => new Date(Date.now() + days * DAY).toISOString();
const name = ({ token }: Owner, delegate: Owner, more: object = {}) => {
  const body = { delegateId: delegate.userId, until: inDays(7), ...more };
  return app.call('POST', PATH, { token, body });
};
const end = ({ token }: Owner, id: string) => app.call('DELETE', `${PATH}/${id}`, { token });
const listOpen = async () => assertOk(await app.call('GET', PATH, { token: ada.token })).body.data;
async function clear(): Promise<void> {
  for (const { id } of await listOpen()) assertOk(await end(ada, id));
}

async function hold(steps: object[], more: object = {}): Promise<{ id: string; traceId: string }> {
  const tool = `tool-${++tools}`;
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
  const actions = [{ type: 'flag_for_review', config: { approvals: { steps, ...more } } }];
  const policy = { name: tool, conditions, actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const actor = [{ type: 'user', id: people.rolf.userId }];
  const body = buildDecision('till', { outputDecision: { action: { tool } }, actor });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body;
  return { id: data.reviewId, traceId: data.traceId };
}

const approve = (id: string, { token }: Owner) =>
  app.call('POST', `/api/v1/review-queue/${id}/decision`, { token, body: { decision: 'approve' } });

async function verify() {
  const path =
    '/api/v1/hash-chain/export?fromSequence=1&disclose=facts,quorum,voter,actionDigest,edits';
  const { text } = await app.call('GET', path, { token: ada.token });
  async function* stream() {
    yield* text.trimEnd().split('\n');
  }
  const answer = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  const { problems } = await verifyBundle(stream());
  const codes = problems.map(({ code }) => code).filter((code) => code !== 'not-vouched');
  return { verified: assertOk(answer).body.data.verified as boolean, codes };
}

test('is made, listed and ended, with an entry of the audit log each', async () => {
  const { rita, rolf } = people;
  const made = assertOk(await name(rita, rolf)).body.data;
  expect(made).toMatchObject({ userId: rita.userId, delegateId: rolf.userId });
  expect(await listOpen()).toEqual([made]);
  expect(toOutcome(await end(rolf, made.id))).toEqual([404, 'NOT_FOUND']);
  expect(assertOk(await end(rita, made.id)).body.data).toEqual({ ...made, ended: true });
  expect(await listOpen()).toEqual([]);
  await app.instance.runJobsOnce();
  const log = await app.call('GET', '/api/v1/audit?limit=20', { token: ada.token });
  const rows = assertOk(log).body.data.entries as { action: string; metadata: object }[];
  for (const action of ['team.delegation.made', 'team.delegation.ended'])
    expect(rows.find((row) => row.action === action)?.metadata).toMatchObject({
      userId: rita.userId,
      delegateId: rolf.userId,
    });
});

test.each([
  ['to oneself', () => name(people.rita, people.rita), [400, 'VALIDATION_ERROR']],
  ['to a viewer', () => name(people.rita, people.vera), [404, 'NOT_FOUND']],
  ['by a viewer', () => name(people.vera, people.rita), [403, 'FORBIDDEN']],
  [
    'in the past',
    () => name(people.rita, people.rolf, { until: inDays(-1) }),
    [400, 'VALIDATION_ERROR'],
  ],
  [
    'backwards',
    () => name(people.rita, people.rolf, { from: inDays(8) }),
    [400, 'VALIDATION_ERROR'],
  ],
  [
    'for two years',
    () => name(people.rita, people.rolf, { until: inDays(730) }),
    [400, 'VALIDATION_ERROR'],
  ],
  [
    'on no day',
    () => name(people.rita, people.rolf, { until: 'Friday' }),
    [400, 'VALIDATION_ERROR'],
  ],
])('%s there is no delegation', async (_name, attempt, expected) => {
  expect(toOutcome(await attempt())).toEqual(expected);
  expect(await listOpen()).toEqual([]);
});

test('the delegate approves for who is away; who is away does not count again, and the chain verifies', async () => {
  const { rita, rolf, adam } = people;
  const held = await hold([{ name: 'Finance', people: [adam.userId] }, { roles: ['reviewer'] }]);
  expect(toOutcome(await approve(held.id, ada))).toEqual([403, 'FORBIDDEN']);
  assertOk(await name(adam, ada));
  const { approvals } = assertOk(await approve(held.id, ada)).body.data;
  expect(approvals).toMatchObject({ given: 1, waitsFor: 'reviewer' });
  expect(approvals.votes).toMatchObject([{ userId: ada.userId, delegator: adam.userId, step: 0 }]);
  const late = await approve(held.id, adam);
  expect(late.body.error).toBe('It was approved in your place already: it waits for reviewer');
  expect(toOutcome(late)).toEqual([400, 'INVALID_OPERATION']);
  expect(toOutcome(await approve(held.id, ada))).toEqual([400, 'INVALID_OPERATION']);
  expect(assertOk(await approve(held.id, rita)).body.data.status).toBe('approved');
  await clear();
  const next = await hold([{ people: [adam.userId] }]);
  expect(toOutcome(await approve(next.id, ada))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await approve(next.id, rolf))).toEqual([403, 'FORBIDDEN']);
});

test('the last approval may be a delegate\u2019s; one to come, and the delegate of a delegate, give nothing', async () => {
  const { rita, rolf, adam } = people;
  assertOk(await name(adam, rita, { from: inDays(1), until: inDays(2) }));
  const held = await hold([{ people: [adam.userId] }]);
  expect(toOutcome(await approve(held.id, rita))).toEqual([403, 'FORBIDDEN']);
  assertOk(await name(adam, ada));
  assertOk(await name(ada, rita));
  expect(toOutcome(await approve(held.id, rita))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await approve(held.id, rolf))).toEqual([403, 'FORBIDDEN']);
  expect(assertOk(await approve(held.id, ada)).body.data.status).toBe('approved');
  await clear();
});

test('a role that who is away has lost is not given, nor the places of one whom the policy excludes', async () => {
  const { rita, rolf } = people;
  const gone = await createMember(harness, ada, 'admin');
  assertOk(await name(gone, rita));
  const [first, second] = [await hold([{ roles: ['admin'] }]), await hold([{ roles: ['admin'] }])];
  expect(assertOk(await approve(first.id, rita)).body.data.status).toBe('approved');
  await changeMembership(harness, gone, { role: 'viewer' });
  expect(toOutcome(await approve(second.id, rita))).toEqual([403, 'FORBIDDEN']);
  assertOk(await name(rolf, people.adam));
  const excluded = await hold([{ people: [rolf.userId, rita.userId] }], { exclude: ['actor'] });
  expect(toOutcome(await approve(excluded.id, people.adam))).toEqual([403, 'FORBIDDEN']);
  expect(await verify()).toEqual({ verified: true, codes: [] });
  await clear();
});

test('of one member at most ten are open', async () => {
  const { rita, rolf } = people;
  for (let made = 0; made < 10; made++) assertOk(await name(rita, rolf));
  expect(toOutcome(await name(rita, rolf))).toEqual([400, 'INVALID_OPERATION']);
  await clear();
});
