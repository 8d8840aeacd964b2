// The story of decisions over HTTP (document 2, section 4.1).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agent, decision, owner, workspaceKey, type Owner } from '../setup/personas.ts';
import { startApp, type TestApp } from '../setup/start-app.ts';

let app: TestApp;
let ada: Owner;
let key: string;
beforeAll(async () => {
  app = await startApp();
  ada = await owner(app);
  ({ key } = await workspaceKey(app, ada));
});
afterAll(() => app.stop());

test('an approved decision is answered 201 with its receipt, and read back as it was posted', async () => {
  const bot = await agent(app, ada);
  const body = decision(bot.id);
  const posted = await app.call('POST', '/api/v1/traces', { key, body });
  expect(posted.status).toBe(201);
  expect(posted.body.data).toMatchObject({
    agentId: bot.id,
    status: 'approved',
    matchedPolicy: null,
    hashChain: { sequence: 1 },
  });
  const listed = await app.call('GET', '/api/v1/traces', { token: ada.token });
  expect(listed.body.data).toHaveLength(1);
  expect(listed.body.data[0]).toMatchObject({
    inputContext: body.inputContext,
    outputDecision: body.outputDecision,
    traceId: posted.body.data.traceId,
  });
  const read = await app.call('GET', `/api/v1/traces/${listed.body.data[0]._id}`, { token: ada.token });
  expect(read.body.data).toEqual(listed.body.data[0]);
});

test('what follows from decisions: activity of the agent, statistics of the policy, events', async () => {
  const bob = await owner(app, 'Bob');
  const bot = await agent(app, bob);
  const policy = {
    name: 'Refunds',
    conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
    actions: [{ type: 'flag_for_review', config: { reason: 'A human decides refunds' } }],
  };
  const { data: stored } = (await app.call('POST', '/api/v1/policies', { token: bob.token, body: policy })).body;
  expect(
    (await app.call('POST', '/api/v1/traces', { key: bot.key, body: decision(bot.id, { agentVersion: '1.0' }) }))
      .status,
  ).toBe(201);
  const held = await app.call('POST', '/api/v1/traces', {
    key: bot.key,
    body: decision(bot.id, { agentVersion: '1.1', outputDecision: { action: 'refund' } }),
  });
  expect(held.status).toBe(202);
  expect(held.body.data.matchedPolicy).toEqual({ name: 'Refunds', reason: 'A human decides refunds' });
  await app.instance.runJobsOnce();
  const analytics = await app.call('GET', `/api/v1/agents/${bot.id}/analytics`, { token: bob.token });
  expect(analytics.body.data).toEqual({ totalTraces: 2, approved: 1, flagged: 1, blocked: 0 });
  const versions = await app.call('GET', `/api/v1/agents/${bot.id}/versions`, { token: bob.token });
  expect(versions.body.data).toEqual(['1.0', '1.1']);
  const matched = await app.call('GET', `/api/v1/policies/${stored._id}`, { token: bob.token });
  expect(matched.body.data).toMatchObject({ matchCount: 1, lastMatched: expect.any(String) });
});
