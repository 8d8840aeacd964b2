// The list of budgets: what is spent, reserved and left of each limit, now and as of a time.
// @module-tag long
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, createOwner } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const HOUR = 3_600_000;
const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);

type Agent = Awaited<ReturnType<typeof createAgent>>;
async function createBudget(name: string, limit: object, { token } = ada): Promise<string> {
  const body = {
    name,
    conditions: [{ field: 'action.names', operator: 'contains', value: name }],
    actions: [{ type: 'block', config: { limit } }],
  };
  const made = await app.call('POST', '/api/v1/policies', { token, body });
  return assertOk(made).body.data._id as string;
}
const spend = async (agent: Agent, tool: string, amount: number, more: object = {}) => {
  const outputDecision = { action: { tool, arguments: { amount } } };
  const body = buildDecision(agent.id, { outputDecision, ...more });
  return assertOk(await app.call('POST', '/api/v1/traces', { key: agent.key, body })).body.data;
};
const list = async (query = '', { token } = ada): Promise<Answer['body']['data']> =>
  assertOk(await app.call('GET', `/api/v1/budgets?${query}`, { token })).body.data;

test('each limit has what is spent of it by each agent, the fullest first', async () => {
  const limit = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 100 };
  const policyId = await createBudget('refund', limit);
  const [till, desk] = [await createAgent(app, ada), await createAgent(app, ada)];
  await spend(till, 'refund', 10.5);
  const { traceId } = await spend(desk, 'refund', 70);
  await expect.poll(async () => (await list())[0]?.sums).toHaveLength(2);
  const [budget] = await list();
  expect(budget).toMatchObject({ policyId, name: 'refund', enabled: true, at: 0, ...limit });
  expect(budget.sums).toMatchObject([
    {
      target: { agentId: desk.id, agentName: desk.name, workspaceId: null, sessionId: null },
      spent: 70,
      open: 70,
      left: 30,
      freesAt: expect.any(String),
      traceId,
    },
    { target: { agentId: till.id }, spent: 10.5, left: 89.5 },
  ]);
  expect(await list(`policyId=${policyId}`)).toEqual([budget]);
});

test('as of a time it says what the chain said then, and later what has ended', async () => {
  const policyId = await createBudget('order', {
    of: 'acts',
    per: 'session',
    window: '1h',
    most: 3,
  });
  const agent = await createAgent(app, ada);
  await spend(agent, 'order', 1, { sessionId: 'basket' });
  const between = clock.now().toISOString();
  await new Promise((resolve) => void setTimeout(resolve, 5));
  await spend(agent, 'order', 1, { sessionId: 'basket' });
  const read = async (query = ''): Promise<unknown> =>
    (await list(`policyId=${policyId}${query}`))[0].sums;
  await expect.poll(read).toMatchObject([{ spent: 2, left: 1, target: { sessionId: 'basket' } }]);
  expect(await read(`&at=${between}`)).toMatchObject([{ spent: 1, left: 2 }]);
  clock.aheadMs += 2 * HOUR;
  expect(await read()).toMatchObject([{ spent: 0, left: 3, freesAt: null }]);
});

test('what the outcome settles is no longer open', async () => {
  const limit = { of: 'acts', per: 'organization', window: 'ever', most: 5 };
  const policyId = await createBudget('ship', limit);
  await spend(await createAgent(app, ada), 'ship', 1);
  const read = async (): Promise<unknown> => (await list(`policyId=${policyId}`))[0].sums;
  await expect.poll(read).toMatchObject([
    {
      spent: 1,
      open: 1,
      freesAt: null,
      target: { agentId: null, agentName: null, workspaceId: null, sessionId: null },
    },
  ]);
});

test('a thousand sums are listed by twenty, and one policy has them all', async () => {
  const policyId = await createBudget('call', {
    of: 'acts',
    per: 'session',
    window: '24h',
    most: 2,
  });
  const agent = await createAgent(app, ada);
  const hostile = '‮<img src=x onerror=alert(1)>'.repeat(4);
  const names = Array.from({ length: 300 }, (_, at) => `${hostile}${at}`);
  await Promise.all(names.map((sessionId) => spend(agent, 'call', 1, { sessionId })));
  await expect
    .poll(async () => (await list(`policyId=${policyId}`))[0].sums, { timeout: 10_000 })
    .toHaveLength(300);
  const budgets = (await list()) as { policyId: string; sums: unknown[] }[];
  expect(budgets.find((one) => one.policyId === policyId)?.sums).toHaveLength(20);
});

test('other organisations see nothing of it, and a member without a role in policies may read', async () => {
  const eve = await createOwner(app, 'Eve');
  expect(await list('', eve)).toEqual([]);
  const viewer = await createMember(harness, ada, 'viewer');
  expect(await list('', viewer)).toEqual(await list());
});

test.each([
  ['policyId=x', 'policyId'],
  ['at=yesterday', 'at'],
])('%s is refused', async (query, path) => {
  const answer = await app.call('GET', `/api/v1/budgets?${query}`, { token: ada.token });
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(JSON.stringify(answer.body.data)).toContain(path);
});
