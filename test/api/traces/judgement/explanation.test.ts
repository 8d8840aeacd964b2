// Why a decision was judged as it was: each policy of that day, each condition, and the value that it saw.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember } from '../../../setup/harness.ts';
import { assertOk, createAgent, createWorkspaceKey } from '../../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, token = ada.token) =>
  app.call(method, `/api/v1${path}`, { token, ...(body && { body }) });

const HOLD = {
  name: 'Larger refunds',
  conditions: [
    { field: 'action.names', operator: 'contains', value: 'refund', logicalOperator: 'AND' },
    { field: 'action.largestAmount', operator: 'greater_than', value: 100 },
  ],
  actions: [{ type: 'flag_for_review' }],
};
const BLOCK = {
  name: 'A customer by mail',
  conditions: [{ field: 'inputContext.prompt', operator: 'contains', value: 'nobody@example.org' }],
  actions: [{ type: 'block' }],
};

async function postRefund(more: object = {}): Promise<string> {
  const { id: agentId } = await createAgent(app, ada);
  const { key } = await createWorkspaceKey(app, ada);
  const body = {
    agentId,
    inputContext: { prompt: 'Write to ann@example.com' },
    outputDecision: { action: { tool: 'refund', amount: 250 }, rationale: 'Broken' },
    ...more,
  };
  const answer = await app.call('POST', '/api/v1/traces', { key, body });
  return answer.body.data.traceId as string;
}

const explain = (traceId: string, token?: string) =>
  call('GET', `/traces/${traceId}/explanation`, undefined, token);

test('the policies of that day explain it, whatever they say since', async () => {
  const { id } = assertOk(await call('POST', '/policies', HOLD)).body.data;
  assertOk(await call('POST', '/policies', BLOCK));
  const traceId = await postRefund();
  assertOk(await call('PATCH', `/policies/${id}`, { name: 'Renamed', conditions: [] }));
  const { data } = assertOk(await explain(traceId)).body;
  expect(data).toMatchObject({
    total: 2,
    policies: [
      {
        id,
        revision: 1,
        name: 'Larger refunds',
        matched: true,
        error: null,
        explanation: [
          { matched: true, actual: expect.stringContaining('refund'), unknownBecause: null },
          { matched: true, actual: '250', error: null },
        ],
      },
      // The address was scrubbed before it was stored: what the condition saw is not guessed.
      {
        name: 'A customer by mail',
        matched: false,
        explanation: [{ matched: null, actual: null, unknownBecause: 'scrubbed' }],
      },
    ],
  });
});

test('it says which policy acted, which observed, and which stayed within its limit, in this order', async () => {
  const conditions = [{ field: 'action.names', operator: 'contains', value: 'refund' }];
  const limit = { of: 'acts', per: 'agent', window: '24h', most: 5 };
  const make = async (name: string, more: object) =>
    assertOk(await call('POST', '/policies', { name, conditions, ...more })).body.data.id as string;
  const within = await make('Five a day', { actions: [{ type: 'block', config: { limit } }] });
  const observing = await make('Seen', { observe: true, actions: [{ type: 'block' }] });
  const acting = await make('Notified', { actions: [{ type: 'notify' }] });
  const { data } = assertOk(await explain(await postRefund())).body;
  const outcomes = (data.policies as { id: string; outcome: string | null }[])
    .filter(({ id }) => [within, observing, acting].includes(id))
    .map(({ id, outcome }) => [id, outcome]);
  expect(outcomes).toEqual([
    [acting, 'acted'],
    [observing, 'observed'],
    [within, 'within_limit'],
  ]);
  expect(data.policies.at(-1)).toMatchObject({ matched: false, outcome: null });
  for (const id of [within, observing, acting])
    assertOk(await call('PATCH', `/policies/${id}`, { enabled: false }));
});

test('an erased decision is explained no more', async () => {
  const traceId = await postRefund();
  const made = assertOk(
    await call('POST', '/erasure/acknowledge', { traceIds: [traceId], reason: 'Asked for' }),
  ).body.data;
  const { acknowledgementId, impactDigest } = made;
  assertOk(await call('POST', '/erasure/execute', { acknowledgementId, impactDigest }));
  expect((await explain(traceId)).status).toBe(404);
});

test('other organisations and unknown decisions are not found; readers may ask', async () => {
  const traceId = await postRefund();
  expect((await explain(traceId, eve.token)).status).toBe(404);
  expect((await explain('trc_0123456789abcdef0123456789abcdef')).status).toBe(404);
  const viewer = await createMember(harness, ada, 'viewer');
  expect((await explain(traceId, viewer.token)).status).toBe(200);
});
