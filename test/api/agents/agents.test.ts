// The story of agents over HTTP (document 1, section 4.3): every rule, every code, every audit entry.
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { listAuditEntries } from '../../setup/harness.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createOwner, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/agents';
const unknownId = 'a'.repeat(24);
const defaults = {
  strictMode: false,
  logPayloads: true,
  piiMasking: true,
  autoBlockAnomalies: false,
  confidenceThreshold: 0.8,
  maxRequestsPerMinute: 600,
  timeoutMs: 5000,
};

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const post = ({ token }: Owner, below: string, body?: unknown): Promise<Answer> =>
  app.call('POST', path + below, { token, body });
const get = ({ token }: Owner, below: string, headers = {}): Promise<Answer> =>
  app.call('GET', path + below, { token, headers });
const patch = ({ token }: Owner, below: string, body: unknown): Promise<Answer> =>
  app.call('PATCH', path + below, { token, body });
const remove = ({ token }: Owner, id: string): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}`, { token });

type Agent = { _id: string; apiKey: string; name: string } & Record<string, unknown>;

async function made(who: Owner, body: object = {}, headers = {}): Promise<Agent> {
  const { token } = who;
  return assertOk(
    await app.call('POST', path, { token, headers, body: { name: 'Support', ...body } }),
  ).body.data;
}

test('an agent is registered, read, changed and removed, each with its audit entry', async () => {
  const created = await post(ada, '', { name: ' Support ', description: ' Answers customers ' });
  expect(created.status).toBe(201);
  const { apiKey, ...agent } = created.body.data;
  expect(agent).toEqual({
    _id: agent._id,
    id: agent._id,
    organizationId: ada.organizationId,
    workspaceId: ada.workspaceId,
    name: 'Support',
    description: 'Answers customers',
    apiKeyPrefix: apiKey.slice(-8),
    apiKeyAgentScope: 'Support',
    status: 'healthy',
    isActive: true,
    paused: null,
    policies: defaults,
    lastActive: null,
    observed: { acts: 0, breaches: 0, lastAt: null },
    modelMetadata: null,
    onboardingProgress: null,
    createdAt: agent.createdAt,
    updatedAt: agent.createdAt,
  });
  expect((await get(ada, `/${agent._id}`)).body.data).toEqual(agent);

  const changed = await patch(ada, `/${agent._id}`, { name: 'Helpdesk' });
  const { updatedAt } = changed.body.data;
  expect([changed.status, changed.body.data]).toEqual([
    200,
    { ...agent, name: 'Helpdesk', updatedAt },
  ]);
  const policies = await patch(ada, `/${agent._id}/policies`, { strictMode: true });
  expect(policies.body.data).toMatchObject({ policies: { ...defaults, strictMode: true } });

  const removed = await remove(ada, agent._id);
  expect(removed.body).toEqual({
    success: true,
    data: { _id: agent._id, id: agent._id, deleted: true },
  });
  expect((await get(ada, '')).body.data.map(({ _id }: Agent) => _id)).not.toContain(agent._id);
  for (const answer of [
    await get(ada, `/${agent._id}`),
    await patch(ada, `/${agent._id}`, { name: 'Back' }),
    await patch(ada, `/${agent._id}/policies`, {}),
    await post(ada, `/${agent._id}/regenerate-key`),
    await get(ada, `/${agent._id}/versions`),
    await get(ada, `/${agent._id}/analytics`),
    await remove(ada, agent._id),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  expect((await made(ada, { name: 'Helpdesk' })).name).toBe('Helpdesk');

  const entries = await listAuditEntries(app, ada, `resourceId=${agent._id}`);
  expect(
    entries.map(({ action, resource, status, userId }) => ({ action, resource, status, userId })),
  ).toEqual(
    ['agent.delete', 'agent.update_policies', 'agent.update', 'agent.create'].map((action) => ({
      action,
      resource: 'agent',
      status: 'success',
      userId: ada.userId,
    })),
  );
});

test('the key is shown once and kept as its hash only', async () => {
  const { _id, apiKey } = await made(ada);
  expect(apiKey).toMatch(/^svc_agent_[0-9a-f]{48}$/);
  const replaced = (await post(ada, `/${_id}/regenerate-key`)).body.data;
  expect(replaced.apiKey).toMatch(/^svc_agent_[0-9a-f]{48}$/);
  expect(replaced.apiKey).not.toBe(apiKey);
  expect(replaced.apiKeyPrefix).toBe(replaced.apiKey.slice(-8));
  for (const answer of [
    await get(ada, ''),
    await get(ada, `/${_id}`),
    await patch(ada, `/${_id}`, {}),
  ])
    expect(answer.text).not.toMatch(/apiKey"|apiKeyHash|svc_agent_/);
  const kept = await Promise.all(
    (await harness.db.listCollections().toArray()).map(({ name }) =>
      harness.db.collection(name).find().toArray(),
    ),
  );
  for (const key of [apiKey, replaced.apiKey])
    expect(JSON.stringify(kept)).not.toContain(key.slice('svc_agent_'.length));
  expect(app.logged.join()).not.toMatch(/svc_agent_/);
  expect(
    await listAuditEntries(app, ada, `action=agent.regenerate_key&resourceId=${_id}`),
  ).toHaveLength(1);
});

test('a rename leaves the scope of the key; a new key takes the new name', async () => {
  const { _id } = await made(ada, { name: 'Before' });
  expect((await patch(ada, `/${_id}`, { name: 'After' })).body.data).toMatchObject({
    name: 'After',
    apiKeyAgentScope: 'Before',
  });
  expect((await post(ada, `/${_id}/regenerate-key`)).body.data).toMatchObject({
    name: 'After',
    apiKeyAgentScope: 'After',
  });
});

test.each([
  [true, { currentStep: 1 }],
  ['yes', { currentStep: 1 }],
  [false, null],
  [0, null],
  [null, null],
])('onboarding %j', async (onboarding, onboardingProgress) => {
  expect((await made(ada, { onboarding })).onboardingProgress).toEqual(onboardingProgress);
});

test.each<[object, string]>([
  [{ name: undefined }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: ['x'] }, 'name'],
  [{ description: 'x'.repeat(501) }, 'description'],
  [{ description: { $ne: null } }, 'description'],
])('definition %j is refused', async (wrong, place) => {
  const created = await post(eve, '', { name: 'Fine', ...wrong });
  expect([created.status, created.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(created.body.data.issues.map(({ path }: { path: string }) => path)).toEqual([place]);
  if (Object.values(wrong)[0] === undefined) return;
  const { _id } = await made(ada);
  const changed = await patch(ada, `/${_id}`, wrong);
  expect([changed.status, changed.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
});

test('the longest texts are taken', async () => {
  const [name, description] = ['n'.repeat(100), 'd'.repeat(500)];
  expect(await made(ada, { name, description })).toMatchObject({ name, description });
});

test('overrides that are left out keep their value', async () => {
  const { _id } = await made(ada);
  let expected: object = defaults;
  for (const change of [
    { confidenceThreshold: 0 },
    { timeoutMs: 60_000, autoBlockAnomalies: true },
    { maxRequestsPerMinute: null },
    { maxRequestsPerMinute: -1 },
    {},
    { logPayloads: false, piiMasking: false },
  ]) {
    expected = { ...expected, ...change };
    expect((await patch(ada, `/${_id}/policies`, change)).body.data.policies).toEqual(expected);
  }
  expect((await get(ada, `/${_id}`)).body.data.policies).toEqual(expected);
});

test.each([
  { strictMode: 'true' },
  { confidenceThreshold: 1.01 },
  { confidenceThreshold: -0.01 },
  { confidenceThreshold: '0.5' },
  { maxRequestsPerMinute: 1.5 },
  { maxRequestsPerMinute: 1_000_001 },
  { timeoutMs: 99 },
  { timeoutMs: 60_001 },
])('overrides %j are refused', async (wrong) => {
  const { _id } = await made(ada);
  const answer = await patch(ada, `/${_id}/policies`, { piiMasking: false, ...wrong });
  expect([answer.status, answer.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect((await get(ada, `/${_id}`)).body.data.policies).toEqual(defaults);
});

test('lists are paged, newest first', async () => {
  const bob = await createOwner(app, 'Bob');
  for (const name of ['a', 'b', 'c']) await made(bob, { name });
  const first = await get(bob, '?limit=2');
  expect(first.body.data.map(({ name }: Agent) => name)).toEqual(['c', 'b']);
  expect(first.body.pagination).toEqual({ page: 1, limit: 2, total: 3, pages: 2, hasMore: true });
  expect((await get(bob, '?limit=2&page=2')).body.data.map(({ name }: Agent) => name)).toEqual([
    'a',
  ]);
});

test('an agent belongs to the workspace of the header; keys see what they are limited to', async () => {
  const body = { name: 'Lab' };
  const { _id: lab } = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: ada.token, body }),
  ).body.data;
  const inLab = { 'x-workspace-id': lab };
  const { apiKey: _shown, ...agent } = await made(ada, {}, inLab);
  const elsewhere = await made(ada);
  expect(agent.workspaceId).toBe(lab);
  expect((await get(ada, '', inLab)).body.data).toEqual([agent]);
  expect((await get(ada, `/${elsewhere._id}`, inLab)).status).toBe(404);

  const ofWorkspace = (await createWorkspaceKey(app, ada, { workspaceId: lab })).key;
  expect((await app.call('GET', path, { key: ofWorkspace })).body.data).toEqual([agent]);
  const ofAgent = (await createWorkspaceKey(app, ada, { scope: { agentIds: [elsewhere._id] } }))
    .key;
  const listed = await app.call('GET', path, { key: ofAgent });
  expect(listed.body.data.map(({ _id }: Agent) => _id)).toEqual([elsewhere._id]);
  expect((await app.call('GET', `${path}/${agent._id}`, { key: ofAgent })).status).toBe(404);
  expect((await app.call('GET', `${path}/${elsewhere._id}`, { key: ofAgent })).status).toBe(200);
  expect((await app.call('DELETE', `${path}/${agent._id}`, { key: ofWorkspace })).body.code).toBe(
    'FORBIDDEN',
  );
});

test("another organisation's agents are unknown", async () => {
  const { _id } = await made(ada);
  const unknown = await get(eve, `/${unknownId}`);
  for (const answer of [
    await get(eve, `/${_id}`),
    await patch(eve, `/${_id}`, { name: 'Mine' }),
    await patch(eve, `/${_id}/policies`, { strictMode: true }),
    await post(eve, `/${_id}/regenerate-key`),
    await get(eve, `/${_id}/versions`),
    await get(eve, `/${_id}/analytics`),
    await remove(eve, _id),
    await get(eve, '/no-id'),
  ])
    expect([answer.status, answer.body]).toEqual([404, unknown.body]);
  expect((await get(ada, `/${_id}`)).body.data).toMatchObject({
    name: 'Support',
    policies: defaults,
  });
});

test('nothing seen yet: no versions, no verdicts', async () => {
  const { _id } = await made(ada);
  expect((await get(ada, `/${_id}/versions`)).body).toEqual({
    success: true,
    data: [],
    history: [],
  });
  expect((await get(ada, `/${_id}/analytics`)).body.data).toEqual({
    totalTraces: 0,
    blocked: 0,
    flagged: 0,
    approved: 0,
  });
});

test.each(['member', 'viewer', 'reviewer'])(
  'a %s reads and is refused every change, on record',
  async (role) => {
    const bob = await createOwner(app, 'Bob');
    const { _id } = await made(bob);
    const memberships = harness.db.collection('memberships');
    const userId = new mongoose.Types.ObjectId(bob.userId);
    await memberships.updateOne({ userId }, { $set: { role } });
    expect((await get(bob, `/${_id}`)).status).toBe(200);
    for (const answer of [
      await post(bob, '', { name: 'Mine' }),
      await patch(bob, `/${_id}`, { name: 'Mine' }),
      await patch(bob, `/${_id}/policies`, {}),
      await post(bob, `/${_id}/regenerate-key`),
      await remove(bob, _id),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    await memberships.updateOne({ userId }, { $set: { role: 'owner' } });
    const failures = await listAuditEntries(app, bob, 'status=failure&resource=agent');
    expect(
      failures.map(({ action, userRole, resourceId }) => [action, userRole, resourceId]),
    ).toEqual([
      ['agent.delete', role, _id],
      ['agent.regenerate_key', role, _id],
      ['agent.update_policies', role, _id],
      ['agent.update', role, _id],
      ['agent.create', role, null],
    ]);
  },
);
