// Alerts on limits: once what an approval reserved has spent a share of its limit, by a policy or a person.
import { beforeAll, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host }));
const { app } = harness;
const ada = useOwner(harness);
let till: { id: string; key: string };
beforeAll(async () => {
  till = await createAgent(app, ada);
});

const asAda = async (path: string, body: object) =>
  assertOk(await app.call('POST', `/api/v1/${path}`, { token: ada.token, body })).body.data;
const run = (): Promise<void> => app.instance.runJobsOnce();
const limit = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 500 };
const createPolicy = (tool: string, actions: object[]) =>
  asAda('policies', {
    name: `Limit of ${tool}`,
    conditions: [{ field: 'action.names', operator: 'contains', value: tool }],
    actions,
  });
const createRule = (name: string, value: number) =>
  asAda('alerts', {
    name,
    condition: { field: 'limitShare', operator: 'gte', value },
    actions: [{ type: 'webhook', target: `${receiver.url}/${name}` }],
  });
const spend = async (tool: string, amount: number) => {
  const action = { tool, arguments: { amount } };
  const body = buildDecision(till.id, { outputDecision: { action } });
  return (await app.call('POST', '/api/v1/traces', { key: till.key, body })).body.data;
};
const listAlerts = (name: string) =>
  receiver.listMessages(`/${name}`).map(({ body }) => body as { data: Record<string, unknown> });

test('an approval that spends the share tells; one below it, and one that is blocked, do not', async () => {
  await createPolicy('refund', [{ type: 'block', config: { limit } }]);
  const rule = await createRule('most-of-it', 0.8);
  expect(rule.condition).toEqual({ field: 'limitShare', operator: 'gte', value: 0.8 });
  await spend('refund', 399.99);
  await spend('look_up', 1);
  await run();
  await run();
  expect(listAlerts('most-of-it')).toEqual([]);
  expect((await spend('refund', 200)).status).toBe('blocked');
  await run();
  await run();
  expect(listAlerts('most-of-it')).toEqual([]);
  const { traceId } = await spend('refund', 50);
  await run();
  await run();
  expect(listAlerts('most-of-it').map(({ data }) => data)).toEqual([
    expect.objectContaining({
      ruleId: rule.id,
      traceId,
      condition: 'limitShare gte 0.8',
      valueTriggeredAt: 0.89998,
    }),
  ]);
});

test('what a person approves beyond a limit alerts with the decision that it is about', async () => {
  await createPolicy('order', [{ type: 'flag_for_review', config: { limit } }]);
  await createRule('beyond', 1.01);
  const { traceId, reviewId, actionDigest, status } = await spend('order', 600);
  expect(status).toBe('flagged');
  await run();
  await run();
  expect(listAlerts('beyond')).toEqual([]);
  await asAda(`review-queue/${reviewId}/decision`, { decision: 'approve', actionDigest });
  await run();
  await run();
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  expect(listAlerts('beyond').map(({ data }) => data)).toEqual([
    expect.objectContaining({
      traceId,
      traceIdMongo: stored?._id.toHexString(),
      valueTriggeredAt: 1.2,
    }),
  ]);
});
