// Agents that decisions name before anybody has registered them: they are listed, and registered with their history.
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, createWorkspaceKey } from '../../setup/personas.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const read = async (path: string, token = ada.token) => {
  await app.instance.runJobsOnce();
  return assertOk(await app.call('GET', `/api/v1${path}`, { token })).body.data;
};
const seen = async (token?: string): Promise<string[]> =>
  (await read('/agents/seen', token)).map(({ name }: { name: string }) => name);
async function post(agentId: string, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1)
    assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision(agentId) }));
}

test('a name in decisions of a workspace key is listed, for readers of the organisation alone', async () => {
  const known = await createAgent(app, ada);
  await post('till', 3);
  await post(known.name, 2);
  await post(known.id, 1);
  expect(await read('/agents/seen')).toEqual([
    { name: 'till', decisions: 3, lastActive: expect.any(String) },
  ]);
  const inWorkspace = async (id: string): Promise<unknown[]> => {
    const headers = { 'x-workspace-id': id };
    const { token } = ada;
    return assertOk(await app.call('GET', '/api/v1/agents/seen', { token, headers })).body.data;
  };
  expect(await inWorkspace(ada.workspaceId)).toMatchObject([{ name: 'till', decisions: 3 }]);
  const made = { token: ada.token, body: { name: 'Elsewhere' } };
  const other = assertOk(await app.call('POST', '/api/v1/workspaces', made)).body.data;
  expect(await inWorkspace(other._id)).toEqual([]);
  const viewer = await createMember(harness, ada, 'viewer');
  expect(await seen(viewer.token)).toEqual(['till']);
  expect(await seen(eve.token)).toEqual([]);
  const auditor = await createMember(harness, ada, 'auditor');
  expect((await app.call('GET', '/api/v1/agents/seen', { token: auditor.token })).status).toBe(403);
});

test('once registered, its earlier decisions are counted, listed and shown as its own', async () => {
  await post('porter', 4);
  const body = { name: 'porter' };
  const made = assertOk(await app.call('POST', '/api/v1/agents', { token: ada.token, body })).body
    .data;
  expect(made.lastActive).not.toBeNull();
  expect(await seen()).not.toContain('porter');
  expect(await read(`/agents/${made._id}/analytics`)).toMatchObject({
    totalTraces: 4,
    approved: 4,
    flagged: 0,
  });
  const [listed] = (await read('/agents')).filter(
    ({ name }: { name: string }) => name === 'porter',
  );
  expect(listed.lastActive).toBe(made.lastActive);
  expect(await read(`/traces?agentId=${made._id}`)).toHaveLength(4);
  await post('porter', 2);
  expect(await read(`/agents/${made._id}/analytics`)).toMatchObject({ totalTraces: 6 });
  expect(await read(`/traces?agentId=${made._id}`)).toHaveLength(6);
});

test('a name stays with the agent that it means: a second one of that name takes it over, a removed one gives it back', async () => {
  await post('clerk', 2);
  const first = await createAgent(app, ada, 'clerk');
  const second = await createAgent(app, ada, 'clerk');
  const count = async (id: string) => (await read(`/agents/${id}/analytics`)).totalTraces;
  expect([await count(first.id), await count(second.id)]).toEqual([0, 2]);
  for (const { id } of [second, first])
    assertOk(await app.call('DELETE', `/api/v1/agents/${id}`, { token: ada.token }));
  expect(await seen()).toContain('clerk');
});

test('no other organisation gets decisions of a name, and a key of one agent sees no names', async () => {
  await post('guard', 2);
  const foreign = await createAgent(app, eve, 'guard');
  expect(await read(`/agents/${foreign.id}/analytics`, eve.token)).toMatchObject({
    totalTraces: 0,
  });
  const own = await createAgent(app, ada);
  const limited = await createWorkspaceKey(app, ada, { scope: { agentIds: [own.id] } });
  const answer = await app.call('GET', '/api/v1/agents/seen', { key: limited.key });
  expect(assertOk(answer).body.data).toEqual([]);
});
