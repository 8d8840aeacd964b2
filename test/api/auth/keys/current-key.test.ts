// What a key is and may do, as it asks itself (document 1, sections 2 and 5; decisions: keys).
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createAgent, createFeedbackKey, createWorkspaceKey } from '../../../setup/personas.ts';
import { toOutcome, type Answer } from '../../../setup/start-app.ts';

const harness = useHarness({ ASSAY_LIMIT_SANDBOX: '777' });
const { app } = harness;
const ada = useOwner(harness);

const ask = (key: string, headers = {}): Promise<Answer> =>
  app.call('GET', '/api/v1/auth/key', { key, headers });

test('a workspace key learns its organisation, scope, plan and limits', async () => {
  const { id: agentId } = await createAgent(app, ada);
  const scope = { agentIds: [agentId], readOnly: true };
  const [plain, limited] = [
    await createWorkspaceKey(app, ada),
    await createWorkspaceKey(app, ada, { name: 'limited', scope }),
  ];
  const { status, body, text } = await ask(plain.key);
  expect(status).toBe(200);
  expect(body.data).toEqual({
    keyId: expect.stringMatching(/^[0-9a-f]{24}$/),
    kind: 'workspaceKey',
    organizationId: ada.organizationId,
    workspaceId: null,
    agent: null,
    scope: { agentIds: null, readOnly: false },
    capabilities: [],
    mayIngest: true,
    plan: expect.any(String),
    limits: {
      decisionsPerMonth: expect.toBeOneOf([expect.any(Number), null]),
      requestsPerMinute: null,
    },
  });
  expect(text).not.toContain(plain.key);
  expect((await ask(limited.key)).body.data).toMatchObject({ scope, mayIngest: false });
});

test('an agent key learns its agent and the limit of that agent', async () => {
  const agent = await createAgent(app, ada, 'refunds');
  const policies = { maxRequestsPerMinute: 90 };
  await app.call('PATCH', `/api/v1/agents/${agent.id}/policies`, {
    token: ada.token,
    body: policies,
  });
  expect((await ask(agent.key)).body.data).toMatchObject({
    keyId: agent.id,
    kind: 'agentKey',
    organizationId: ada.organizationId,
    agent: { _id: agent.id, name: 'refunds' },
    scope: { agentIds: [agent.id], readOnly: false },
    mayIngest: true,
    limits: { requestsPerMinute: 90 },
  });
});

test('a feedback key may ask too, and ingests nothing', async () => {
  const key = await createFeedbackKey(app, ada);
  const { status, body } = await ask(key);
  expect([status, body.data.capabilities, body.data.mayIngest]).toEqual([200, ['feedback'], false]);
});

test('without a key, or with a session or an unknown key, it is 401', async () => {
  const unknown = `svc_live_${'0'.repeat(64)}`;
  expect(toOutcome(await app.call('GET', '/api/v1/auth/key'))).toEqual([401, 'NO_API_KEY']);
  expect(toOutcome(await app.call('GET', '/api/v1/auth/key', { token: ada.token }))).toEqual([
    401,
    'INVALID_API_KEY_FORMAT',
  ]);
  expect(toOutcome(await ask(unknown))).toEqual([401, 'INVALID_API_KEY']);
});
