// The story of policies over HTTP (document 2, section 4.2): every rule, every code, every audit entry.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { owner, type Owner } from '../setup/personas.ts';
import { startApp, type TestApp } from '../setup/start-app.ts';

let app: TestApp;
let ada: Owner;
beforeAll(async () => {
  app = await startApp();
  ada = await owner(app);
});
afterAll(() => app.stop());

const spending = {
  name: 'Spending',
  conditions: [{ field: 'metadata.amount', operator: 'greater_than', value: 100 }],
  actions: [{ type: 'block', config: { reason: 'Too much' } }],
};

test('a policy is created with its defaults, read, changed and removed', async () => {
  const created = await app.call('POST', '/api/v1/policies', { token: ada.token, body: spending });
  expect(created.status).toBe(201);
  const { data } = created.body;
  expect(data).toMatchObject({
    ...spending,
    description: '',
    enabled: true,
    priority: 1,
    revision: 1,
    matchCount: 0,
    lastMatched: null,
    organizationId: ada.organizationId,
    workspaceId: ada.workspaceId,
  });
  expect(data.id).toBe(data._id);
  const read = await app.call('GET', `/api/v1/policies/${data._id}`, { token: ada.token });
  expect(read.body.data).toEqual(data);
});
