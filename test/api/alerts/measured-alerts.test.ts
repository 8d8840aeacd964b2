// Alerts on shares, on the oldest hold and on the silence of agents: measured by a job, once each time they begin.
import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/json';
import { beforeAll, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';
import { toOutcome } from '../../setup/start-app.ts';

const MINUTE = 60_000;
let ahead = 0;
const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host }), {
  clock: { now: () => new Date(Date.now() + ahead) },
});
const { app } = harness;
const ada = useOwner(harness);
let till: { id: string; key: string };
let key: string;
beforeAll(async () => {
  till = await createAgent(app, ada);
  ({ key } = await createWorkspaceKey(app, ada));
  await asAda('policies', {
    name: 'Hold refunds',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'refund' }],
    actions: [{ type: 'flag_for_review' }],
  });
});

const call = (path: string, body: object, { token } = ada) =>
  app.call('POST', `/api/v1/${path}`, { token, body });
const asAda = async (path: string, body: object) => assertOk(await call(path, body)).body.data;
const toRule = (name: string, condition: object) => ({
  name,
  condition,
  actions: [{ type: 'webhook', target: `${receiver.url}/${name}` }],
});
const createRule = (name: string, condition: object) => asAda('alerts', toRule(name, condition));
const rawActionDigest = createHash('sha256')
  .update(canonicalize({ tool: 'look', arguments: {} }))
  .digest('hex');
const post = async (tool: string, by = { id: 'bot', key }) => {
  const body = buildDecision(by.id, { outputDecision: { action: { tool, arguments: {} } } });
  return (await app.call('POST', '/api/v1/traces', { key: by.key, body })).body.data;
};
const measure = async (minutes = 0) => {
  ahead += minutes * MINUTE;
  await app.instance.runJobsOnce();
};
const listAlerts = (name: string) =>
  receiver.listMessages(`/${name}`).map(({ body }) => (body as { data: object }).data);

test('a share of holds alerts once from enough decisions on, and again when it has been lower', async () => {
  const share = { field: 'heldShare', operator: 'gte', value: 0.5, windowHours: 1 };
  const rule = await createRule('holds', { ...share, atLeast: 4 });
  const blocks = { field: 'blockedShare', operator: 'gt', value: 0, atLeast: 1 };
  expect((await createRule('blocks', blocks)).condition).toEqual({ ...blocks, windowHours: 1 });
  const failures = { field: 'failedShare', operator: 'gte', value: 1, atLeast: 1 };
  await createRule('failures', failures);
  const eve = await createOwner(app, 'Eve');
  assertOk(await call('alerts', toRule('eves', { ...share, atLeast: 1 }), eve));
  for (const tool of ['refund', 'refund', 'look']) await post(tool);
  await measure();
  expect(listAlerts('holds')).toEqual([]);
  await post('look');
  await measure();
  await measure(6);
  expect(listAlerts('holds')).toEqual([
    {
      ruleId: rule.id,
      ruleName: 'holds',
      traceId: null,
      traceIdMongo: null,
      condition: 'heldShare gte 0.5 within 1 h of at least 4',
      valueTriggeredAt: 0.5,
      decisions: 4,
    },
  ]);
  await post('look');
  await measure(6);
  await post('refund');
  await measure();
  expect(listAlerts('holds').at(-1)).toMatchObject({ valueTriggeredAt: 0.5, decisions: 6 });
  expect(listAlerts('holds')).toHaveLength(2);
  expect([listAlerts('blocks'), listAlerts('failures'), listAlerts('eves')]).toEqual([[], [], []]);
  const { traceId } = await post('look');
  const path = `/api/v1/traces/${traceId}/executions`;
  const claimed = assertOk(await app.call('POST', path, { key, body: { rawActionDigest } })).body
    .data;
  assertOk(
    await app.call('PATCH', `${path}/${claimed.executionId ?? claimed._id}`, {
      key,
      body: { outcome: 'failed' },
    }),
  );
  await measure();
  expect(listAlerts('failures')).toMatchObject([{ valueTriggeredAt: 1, decisions: 1 }]);
});

test('the oldest hold alerts by its age, an agent by its silence, a paused one does not', async () => {
  await post('look', till);
  await measure();
  await createRule('queue', { field: 'oldestHoldMinutes', operator: 'gte', value: 60 });
  const silence = { field: 'agentSilenceMinutes', operator: 'gte', value: 60 };
  const rule = await createRule('silence', silence);
  expect(rule.condition).toEqual({ ...silence, agentId: null });
  await measure(30);
  expect([listAlerts('queue'), listAlerts('silence')]).toEqual([[], []]);
  await measure(31);
  await measure(6);
  expect(listAlerts('queue')).toMatchObject([{ valueTriggeredAt: expect.any(Number) }]);
  const [agent] = assertOk(await app.call('GET', '/api/v1/agents', { token: ada.token })).body.data;
  const silent = { agentId: till.id, agentName: agent.name, lastActive: agent.lastActive };
  expect(listAlerts('silence')).toMatchObject([{ agents: [silent], agentCount: 1 }]);
  await post('look', till);
  await measure();
  await asAda(`agents/${till.id}/pause`, { reason: 'Holiday' });
  await measure(70);
  expect(listAlerts('silence')).toHaveLength(1);
});

test.each([
  ['a share above 1', { field: 'heldShare', operator: 'gte', value: 20 }],
  ['a window of no hour', { field: 'heldShare', operator: 'gte', value: 0.2, windowHours: 0 }],
  ['an age that is below', { field: 'oldestHoldMinutes', operator: 'lt', value: 5 }],
  ['a window of an age', { field: 'oldestHoldMinutes', operator: 'gt', value: 5, windowHours: 1 }],
  [
    'an agent that is no id',
    { field: 'agentSilenceMinutes', operator: 'gt', value: 5, agentId: 'x' },
  ],
])('%s is refused', async (_what, condition) => {
  expect(toOutcome(await call('alerts', toRule('bad', condition)))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
});
