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
