// Limits whichever way a decision comes, and whatever becomes of its policy: large bodies, spans, erasure, changes.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';
import { buildExport, buildToolSpan } from '../../setup/otlp/exports.ts';
import { sendExport } from '../otlp/sending.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

type Agent = Awaited<ReturnType<typeof createAgent>>;
const toLimit = (more: object = {}) => ({
  of: 'action.totalAmount',
  per: 'agent',
  window: '24h',
  most: 100,
  ...more,
});
const toActions = (more: object = {}) => [{ type: 'block', config: { limit: toLimit(more) } }];
async function createPolicy(tool: string, more: object = {}): Promise<string> {
  const conditions = [{ field: 'action.names', operator: 'contains', value: tool }];
  const body = { name: tool, conditions, actions: toActions(), ...more };
  const made = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  return assertOk(made).body.data._id as string;
}
const change = (id: string, body: object): Promise<Answer> =>
  app.call('PATCH', `/api/v1/policies/${id}`, { token: ada.token, body });
const spend = (
  agent: Agent,
  tool: string,
  amount: number,
  { input = {}, ...more }: { input?: object; [argument: string]: unknown } = {},
): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', {
    key: agent.key,
    body: buildDecision(agent.id, {
      outputDecision: { action: { tool, arguments: { amount, ...more } } },
      inputContext: { prompt: 'Pay', ...input },
    }),
  });
const verify = async (): Promise<boolean> =>
  assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token })).body.data
    .verified as boolean;

test('a large body, which a thread judges, is counted and refused like a small one', async () => {
  await createPolicy('large');
  const agent = await createAgent(app, ada);
  const note = { input: { note: 'x'.repeat(90_000) } };
  assertOk(await spend(agent, 'large', 90, note));
  const refused = await spend(agent, 'large', 20, note);
  expect([refused.status, refused.body.data.limits]).toMatchObject([403, [{ left: 10 }]]);
  expect(await verify()).toBe(true);
});

test('what was done before it was reported counts, and is not refused', async () => {
  await createPolicy('issue_refund');
  const agent = await createAgent(app, ada);
  const report = async (amount: number): Promise<void> => {
    const span = buildToolSpan({
      'gen_ai.tool.name': 'issue_refund',
      'gen_ai.agent.name': agent.name,
      'gen_ai.tool.call.arguments': JSON.stringify({ amount }),
    });
    assertOk(await sendExport(app, agent.key, buildExport(span)));
  };
  await report(90);
  await report(60);
  const refused = await spend(agent, 'issue_refund', 1);
  expect([refused.status, refused.body.data.limits]).toMatchObject([403, [{ left: 0 }]]);
  expect(await verify()).toBe(true);
});

test('a limit that is lowered counts what was spent before, and one that is raised lets go on', async () => {
  const id = await createPolicy('change');
  const agent = await createAgent(app, ada);
  assertOk(await spend(agent, 'change', 60));
  assertOk(await change(id, { actions: toActions({ most: 50 }) }));
  expect((await spend(agent, 'change', 1)).body.data.limits).toMatchObject([{ most: 50, left: 0 }]);
  assertOk(await change(id, { actions: toActions({ most: 70 }) }));
  assertOk(await spend(agent, 'change', 10));
  assertOk(await change(id, { enabled: false }));
  assertOk(await spend(agent, 'change', 1000));
  assertOk(await change(id, { enabled: true }));
  // What was approved while the policy was off was not counted.
  expect((await spend(agent, 'change', 1)).body.data.limits).toMatchObject([{ left: 0 }]);
  expect(await verify()).toBe(true);
});

test('currencies are kept apart by conditions, since none is converted', async () => {
  const agent = await createAgent(app, ada);
  for (const currency of ['EUR', 'USD'])
    await createPolicy('pay', {
      name: currency,
      conditions: [
        { field: 'action.names', operator: 'contains', value: 'pay', logicalOperator: 'AND' },
        {
          field: 'outputDecision.action.arguments.currency',
          operator: 'equals',
          value: currency,
        },
      ],
    });
  assertOk(await spend(agent, 'pay', 90, { currency: 'EUR' }));
  assertOk(await spend(agent, 'pay', 90, { currency: 'USD' }));
  const refused = await spend(agent, 'pay', 20, { currency: 'USD' });
  expect(refused.body.data).toMatchObject({ matchedPolicy: { name: 'USD' }, status: 'blocked' });
});

test('an erased decision still counts, and what it spent is verified without its contents', async () => {
  await createPolicy('erase');
  const agent = await createAgent(app, ada);
  const { data } = assertOk(await spend(agent, 'erase', 90)).body;
  const stored = await harness.db.collection('ledger').findOne({ traceId: data.traceId });
  const body = { ids: [String(stored?._id)] };
  const { token } = ada;
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token, body }));
  expect((await spend(agent, 'erase', 20)).body.data.limits).toMatchObject([{ left: 10 }]);
  expect(await verify()).toBe(true);
  const kept = await harness.db.collection('ledger').findOne({ traceId: data.traceId });
  expect(kept?.['sealed'].state.text).toContain('"amount":"90"');
  expect(JSON.stringify(kept?.['sealed'])).not.toContain('outputDecision":{');
});

test('nine limits are one too many, and eight are not', async () => {
  const actions = (count: number) =>
    Array.from({ length: count }, (_, at) => toActions({ most: 1000 + at, window: 'ever' })).flat();
  const agent = await createAgent(app, ada);
  await createPolicy('eight', { actions: actions(8) });
  assertOk(await spend(agent, 'eight', 1));
  await createPolicy('nine', { actions: actions(9) });
  const refused = await spend(agent, 'nine', 1);
  expect([refused.status, refused.body.data.limits]).toMatchObject([403, [{ at: 8, left: null }]]);
});

test('what would hold by another policy reserves nothing, and what is halted neither', async () => {
  await createPolicy('held');
  await createPolicy('held', { name: 'hold', actions: [{ type: 'flag_for_review' }] });
  const agent = await createAgent(app, ada);
  for (let count = 0; count < 3; count++) expect((await spend(agent, 'held', 90)).status).toBe(202);
  const spent = await harness.db
    .collection('ledger')
    .countDocuments({ agentId: agent.id, 'spent.key': { $exists: true } });
  expect(spent).toBe(0);
});
