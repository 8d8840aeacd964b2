// Assignment, escalation and deadlines of review items (document 2, section 4.3; docs/guides/reviews.md).
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  listAuditEntries,
  changeMembership,
  createMember,
  toObjectId,
} from '../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import { path, useReviews } from './review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const { hold, list, decide, verify } = useReviews(harness, ada);
let bob: Owner;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'member');
});

const assign = (id: string, body: object, { token } = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}/assign`, { token, body });
const escalate = (id: string, body: object = {}, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/${id}/escalate`, { token, body });
const settle = (body: object, workspaceId = ada.workspaceId): Promise<Answer> =>
  app.call('PATCH', `/api/v1/workspaces/${workspaceId}`, { token: ada.token, body });
const UNKNOWN_ID = '0123456789abcdef01234567';

test('a member assigns an item to a member, and removes the assignment', async () => {
  const { id, traceId } = await hold();
  const assigned = assertOk(await assign(id, { assignedTo: ada.userId }, bob)).body.data;
  expect(assigned).toMatchObject({ id, status: 'pending', assignedTo: ada.userId });
  expect(Date.parse(assigned.updatedAt)).toBeGreaterThan(Date.parse(assigned.createdAt));
  const [entry] = await listAuditEntries(app, ada, `action=review.assign&resourceId=${id}`);
  expect(entry).toMatchObject({ status: 'success', metadata: { traceId, assignedTo: ada.userId } });
  expect(assertOk(await assign(id, {})).body.data.assignedTo).toBeNull();
});

test('an escalation goes to the named member, and the item stays pending', async () => {
  const { id, traceId } = await hold();
  const reason = 'Ask bob@example.com';
  const { data } = assertOk(await escalate(id, { reason, escalateTo: bob.userId }, bob)).body;
  expect(data).toMatchObject({ id, status: 'pending', escalatedTo: bob.userId });
  expect(data.escalatedAt).toEqual(expect.any(String));
  expect(data.escalationReason).toMatch(/^Ask \[/);
  const [entry] = await listAuditEntries(app, ada, `action=review.escalate&resourceId=${id}`);
  expect(entry).toMatchObject({ metadata: { traceId, escalatedTo: bob.userId } });
});

test('an escalation without a name goes by the workspace’s settings, otherwise to the owner', async () => {
  const first = await hold();
  expect(assertOk(await escalate(first.id)).body.data.escalatedTo).toBe(ada.userId);
  const settled = assertOk(await settle({ escalationPolicy: { escalateTo: bob.userId } })).body
    .data;
  expect(settled).toMatchObject({ name: 'Default', escalationPolicy: { escalateTo: bob.userId } });
  expect(assertOk(await escalate(first.id)).body.data.escalatedTo).toBe(bob.userId);
  await changeMembership(harness, bob, { isActive: false });
  expect(assertOk(await escalate(first.id)).body.data.escalatedTo).toBe(ada.userId);
  await changeMembership(harness, bob, { isActive: true });
  assertOk(await settle({ escalationPolicy: { escalateTo: null } }));
  expect(assertOk(await escalate(first.id)).body.data.escalatedTo).toBe(ada.userId);
});

test('an item is not assigned outside the organisation', async () => {
  const { id } = await hold();
  for (const stranger of [UNKNOWN_ID, eve.userId]) {
    expect(toOutcome(await assign(id, { assignedTo: stranger }))).toEqual([404, 'NOT_FOUND']);
    expect(toOutcome(await escalate(id, { escalateTo: stranger }))).toEqual([404, 'NOT_FOUND']);
    const policy = { escalationPolicy: { escalateTo: stranger } };
    expect(toOutcome(await settle(policy))).toEqual([404, 'NOT_FOUND']);
  }
  expect(toOutcome(await assign(id, {}, eve))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await escalate(id, {}, eve))).toEqual([404, 'NOT_FOUND']);
});

test('a decided item is neither assigned nor escalated', async () => {
  const { id } = await hold();
  assertOk(await decide(id, { decision: 'approve' }));
  expect(toOutcome(await assign(id, { assignedTo: ada.userId }))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  expect(toOutcome(await escalate(id))).toEqual([400, 'INVALID_OPERATION']);
});

test('viewers handle nothing', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const { id } = await hold();
  expect(toOutcome(await assign(id, {}, viewer))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await escalate(id, {}, viewer))).toEqual([403, 'FORBIDDEN']);
});

test.each([
  ['assign', { assignedTo: 'no-id' }],
  ['assign', { assignee: UNKNOWN_ID }],
  ['escalate', { reason: 'x'.repeat(1001) }],
  ['escalate', { escalateTo: 7 }],
])('%s refuses %j', async (what, body) => {
  const { id } = await hold();
  const answer = what === 'assign' ? await assign(id, body) : await escalate(id, body);
  expect(toOutcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
});

test('a deadline follows from priority and workspace, and is overdue when it passes undecided', async () => {
  expect((await list()).body.data[0]).toMatchObject({ slaDeadline: null, overdue: false });
  const { data } = assertOk(await settle({ reviewSla: { medium: 24, critical: 0.5 } })).body;
  expect(data.reviewSla).toEqual({ critical: 0.5, high: null, medium: 24, low: null });
  assertOk(await settle({ reviewSla: { critical: 1 } }));
  const { id } = await hold();
  const [newest] = (await list('status=pending')).body.data;
  expect(newest).toMatchObject({ id, priority: 'medium', overdue: false });
  const hours = (Date.parse(newest.slaDeadline) - Date.parse(newest.createdAt)) / 3_600_000;
  expect(hours).toBeCloseTo(24, 2);
  // The clock of the app is real: the deadline moves instead, which verification would find.
  const moveDeadline = (to: number) =>
    harness.db
      .collection('ledger')
      .updateOne(
        { 'review._id': toObjectId(id) },
        { $set: { 'review.slaDeadline': new Date(to) } },
      );
  await moveDeadline(Date.now() - 1000);
  expect((await list('status=pending')).body.data[0]).toMatchObject({ id, overdue: true });
  await moveDeadline(Date.parse(newest.slaDeadline));
  assertOk(await decide(id, { decision: 'approve' }));
  expect((await list('status=approved')).body.data[0]).toMatchObject({ id, overdue: false });
});

test('the policy that holds a decision may say how urgent it is', async () => {
  const config = { priority: 'critical', reason: 'Large' };
  const body = {
    name: 'Large',
    priority: 0,
    conditions: [{ field: 'outputDecision.action.amount', operator: 'greater_than', value: 1000 }],
    actions: [{ type: 'flag_for_review', config }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
  const { id } = await hold({ outputDecision: { action: { tool: 'refund', amount: 5000 } } });
  expect((await list('status=pending')).body.data[0]).toMatchObject({ id, priority: 'critical' });
});

test.each([
  {},
  { reviewSla: { medium: 0 } },
  { reviewSla: { medium: 9000 } },
  { reviewSla: { urgent: 1 } },
  { escalationPolicy: {} },
  { escalationPolicy: { escalateTo: 'bob' } },
])('the settings %j are refused', async (body) => {
  expect(toOutcome(await settle(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('none of this changes the chain', async () => {
  expect(await verify()).toBe(true);
});

test('the queue is filtered by agent, assignee and deadline, also together', async () => {
  const { token } = ada;
  const agent = await createAgent(app, ada, 'Night till');
  const [own, other] = [await hold({ agentId: agent.id }, agent.key), await hold()];
  assertOk(await assign(own.id, { assignedTo: ada.userId }));
  const find = async (query: string): Promise<string[]> => {
    const { data } = assertOk(await list(`status=pending&${query}`)).body;
    return data.map(({ id }: { id: string }) => id);
  };
  for (const name of [agent.id, 'Night till'])
    expect(await find(`agentId=${encodeURIComponent(name)}`)).toEqual([own.id]);
  for (const who of ['me', ada.userId]) expect(await find(`assignedTo=${who}`)).toEqual([own.id]);
  expect(await find('assignedTo=none')).toEqual(expect.arrayContaining([other.id]));
  expect(await find('assignedTo=none')).not.toContain(own.id);
  expect(await find(`assignedTo=${UNKNOWN_ID}`)).toEqual([]);
  const past = { $set: { 'review.slaDeadline': new Date(Date.now() - 1000) } };
  const place = { 'review._id': toObjectId(other.id) };
  await harness.db.collection('ledger').updateOne(place, past);
  expect(await find('overdue=true')).toEqual([other.id]);
  expect(await find('overdue=false')).toContain(own.id);
  expect(await find('overdue=false')).not.toContain(other.id);
  expect(await find(`overdue=true&agentId=${agent.id}`)).toEqual([]);
  const { body } = assertOk(
    await app.call('GET', `${path}?assignedTo=me&status=pending`, { token }),
  );
  expect(body).toMatchObject({ count: 1, total: 1, truncated: false, nextCursor: null });
  const { key } = await createWorkspaceKey(app, ada);
  expect(toOutcome(await app.call('GET', `${path}?assignedTo=me`, { key }))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  for (const query of ['assignedTo=us', 'overdue=maybe', 'cursor=0', 'cursor=x', 'late=true'])
    expect(toOutcome(await list(query))).toEqual([400, 'VALIDATION_ERROR']);
});

test('an item says how it was decided: in the console or by the API, alone or among many', async () => {
  const [one, two, three] = [await hold(), await hold(), await hold()];
  const { token } = ada;
  const headers = { 'x-assay-console': '1' };
  const verdict = { token, headers, body: { decision: 'approve' } };
  const decided = assertOk(await app.call('POST', `${path}/${one.id}/decision`, verdict));
  expect(decided.body.data.via).toBe('console');
  const many = { token, headers, body: { ids: [two.id], decision: 'reject' } };
  assertOk(await app.call('POST', `${path}/bulk-decision`, many));
  expect((await list('status=rejected')).body.data[0]).toMatchObject({
    id: two.id,
    via: 'console',
  });
  expect((await list('status=pending')).body.data[0]).toMatchObject({ id: three.id, via: null });
  expect(assertOk(await decide(three.id, { decision: 'reject' })).body.data.via).toBe('api');
});

test('a cursor leads through a queue of more items than one answer has', async () => {
  const { token } = eve;
  const { key } = await createWorkspaceKey(app, eve);
  const policy = { name: 'All', conditions: [], actions: [{ type: 'flag_for_review' }] };
  assertOk(await app.call('POST', '/api/v1/policies', { token, body: policy }));
  const [SIZE, LIMIT] = [503, 500];
  const post = async (count: number): Promise<void> => {
    const decisions = Array.from({ length: count }, () => buildDecision('till'));
    assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body: { decisions } }));
  };
  for (let left = SIZE; left > 0; left -= 100) await post(Math.min(100, left));
  const first = assertOk(await list('status=pending', eve)).body;
  expect(first).toMatchObject({ count: LIMIT, total: SIZE, limit: LIMIT, truncated: true });
  // What is held in between comes first, and moves nothing.
  await post(1);
  const rest = assertOk(await list(`status=pending&cursor=${first.nextCursor}`, eve)).body;
  expect(rest).toMatchObject({ count: 3, total: SIZE + 1, truncated: false, nextCursor: null });
  const ids = [...first.data, ...rest.data].map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(SIZE);
});
