// Decisions of one policy: on which it acted, or which reserved of one of its limits.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk, buildDecision, createOwner, createWorkspaceKey } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

const isOf = (tool: string) => ({ field: 'action.names', operator: 'contains', value: tool });
async function createPolicy(condition: object, ...actions: object[]): Promise<string> {
  const { token } = ada;
  const body = { name: `Policy ${generateHex(4)}`, conditions: [condition], actions };
  return assertOk(await app.call('POST', '/api/v1/policies', { token, body })).body.data._id;
}
async function post(key: string, tool: string, amount = 1): Promise<string> {
  const outputDecision = { action: { tool, arguments: { amount } } };
  const body = buildDecision('till', { outputDecision });
  const answer = await app.call('POST', '/api/v1/traces', { key, body });
  expect([201, 202, 403]).toContain(answer.status);
  return answer.body.data.traceId;
}
async function list(query: string, { token } = ada): Promise<string[]> {
  const { data, total } = assertOk(
    await app.call('GET', `/api/v1/traces?${query}`, { token }),
  ).body;
  expect(total).toBe(data.length);
  return (data as { traceId: string }[]).map(({ traceId }) => traceId);
}

const LIMIT = { of: 'action.totalAmount', per: 'organization', window: 'ever', most: 100 };

test('the filter finds what a policy held or blocked, and what spent its limit, by itself or by an approval', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const limitId = await createPolicy(isOf('refund'), {
    type: 'block',
    config: { limit: LIMIT },
  });
  const holdId = await createPolicy(
    { field: 'action.largestAmount', operator: 'equals', value: 50 },
    { type: 'flag_for_review' },
  );
  const other = await createPolicy(isOf('reply'), { type: 'notify' });
  const spent = await post(key, 'refund', 40);
  const held = await post(key, 'refund', 50);
  const reply = await post(key, 'reply');
  const blocked = await post(key, 'refund', 70);
  const without = await post(key, 'search');
  expect(await list('')).toEqual([without, blocked, reply, held, spent]);
  expect(await list(`policyId=${limitId}`)).toEqual([blocked, spent]);
  expect(await list(`policyId=${holdId}`)).toEqual([held]);
  expect(await list(`policyId=${other}`)).toEqual([reply]);
  const { review } = assertOk(await app.call('GET', `/api/v1/traces/${held}`, { token: ada.token }))
    .body.data;
  assertOk(
    await app.call('POST', `/api/v1/review-queue/${review._id}/decision`, {
      token: ada.token,
      body: { decision: 'approve' },
    }),
  );
  expect(await list(`policyId=${limitId}`)).toEqual([blocked, held, spent]);
  expect(await list(`policyId=${limitId}&status=blocked`)).toEqual([blocked]);
  expect(await list(`policyId=${limitId.toUpperCase()}&agentId=till`)).toHaveLength(3);
  expect(await list(`policyId=${'0'.repeat(24)}`)).toEqual([]);
  const { text } = await app.call('GET', `/api/v1/traces/export?policyId=${holdId}`, {
    token: ada.token,
  });
  expect(text.trim().split('\n')).toHaveLength(2);
  const eve = await createOwner(app, 'Eve');
  expect(await list(`policyId=${limitId}`, eve)).toEqual([]);
  for (const wrong of ['policyId=', 'policyId=x', `policyId[$ne]=${limitId}`])
    expect((await app.call('GET', `/api/v1/traces?${wrong}`, { token: ada.token })).status).toBe(
      400,
    );
});

test('the filter reads by indexes: of what a policy acted on, and of what reserved', async () => {
  const { organizationId } = ada;
  const id = await createPolicy(isOf('nothing'), { type: 'notify' });
  const explain = async (where: object): Promise<string> =>
    JSON.stringify(
      await harness.db
        .collection('ledger')
        .find({ organizationId: toObjectId(organizationId), kind: 'trace', ...where })
        .sort({ sequence: -1 })
        .explain('queryPlanner'),
    );
  expect(await explain({ matchedPolicyIds: id })).toContain('"indexName":"policy"');
  expect(await explain({ 'spent.key': new RegExp(`^${id}:`) })).toContain('"indexName":"spent"');
});
