// Agents at work over HTTP: whose key opens, which agent a decision means, and how many decisions a minute it may post.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashAction } from '../../../src/domain/actions/proposed-action.ts';
import { listAuditEntries } from '../../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const path = '/api/v1/agents';

let app: TestApp;
let second: TestApp;
let ada: Owner;
beforeAll(async () => {
  const mongoUri = createDatabaseUri();
  app = await startApp({}, { mongoUri });
  second = await startApp({}, { mongoUri });
  ada = await createOwner(app);
});
afterAll(async () => {
  await app.stop();
  await second.stop();
});

const ingest = (key: string, agentId: string, on = app): Promise<Answer> =>
  on.call('POST', '/api/v1/traces', { key, body: buildDecision(agentId) });
const statusOf = async (answer: Promise<Answer>): Promise<unknown[]> => {
  const { status, body } = await answer;
  return [status, body.code];
};
const change = async (id: string, body: object): Promise<Answer> =>
  assertOk(await app.call('PATCH', `${path}/${id}`, { token: ada.token, body }));

async function newestTrace(): Promise<{ agentId: string }> {
  return assertOk(await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body
    .data[0];
}

test.each<[string, (id: string) => Promise<unknown>]>([
  ['regenerated', (id) => app.call('POST', `${path}/${id}/regenerate-key`, { token: ada.token })],
  ['deleted with its agent', (id) => app.call('DELETE', `${path}/${id}`, { token: ada.token })],
])('a key that was %s is void at once, and soon on the other instance', async (_how, void_) => {
  const bot = await createAgent(app, ada);
  expect((await ingest(bot.key, bot.id)).status).toBe(201);
  expect((await ingest(bot.key, bot.id, second)).status).toBe(201);
  await void_(bot.id);
  expect(await statusOf(ingest(bot.key, bot.id))).toEqual([401, 'INVALID_API_KEY']);
  await expect
    .poll(() => statusOf(ingest(bot.key, bot.id, second)))
    .toEqual([401, 'INVALID_API_KEY']);
});

test('a regenerated key works at once', async () => {
  const bot = await createAgent(app, ada);
  const { data } = assertOk(
    await app.call('POST', `${path}/${bot.id}/regenerate-key`, { token: ada.token }),
  ).body;
  expect((await ingest(data.apiKey, bot.id)).status).toBe(201);
});

test('a decision means an agent by id, by the name its key was made under, or none', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  await change(bot.id, { name: 'Renamed' });
  for (const [named, shown] of [
    [bot.id, bot.id],
    [bot.id.toUpperCase(), bot.id],
    [bot.name, bot.id],
    ['Renamed', 'Renamed'],
    ['an unknown agent', 'an unknown agent'],
  ] as const) {
    expect((await ingest(key, named)).status).toBe(201);
    expect((await newestTrace()).agentId).toBe(shown);
  }
  await app.call('DELETE', `${path}/${bot.id}`, { token: ada.token });
  await ingest(key, bot.name);
  expect((await newestTrace()).agentId).toBe(bot.name);
});

test('an agent key ingests for its own agent, whatever others are called', async () => {
  const [bot, other] = [await createAgent(app, ada), await createAgent(app, ada)];
  expect((await ingest(bot.key, bot.id)).status).toBe(201);
  expect((await ingest(bot.key, bot.name)).status).toBe(201);
  for (const named of [other.id, other.name, 'free text'])
    expect(await statusOf(ingest(bot.key, named))).toEqual([403, 'FORBIDDEN']);
  await change(bot.id, { name: 'Renamed' });
  const namesake = await createAgent(app, ada, bot.name);
  for (const { key, id } of [bot, namesake]) {
    expect((await ingest(key, bot.name)).status).toBe(201);
    expect((await newestTrace()).agentId).toBe(id);
  }
  const { key } = await createWorkspaceKey(app, ada, { scope: { agentIds: [bot.id] } });
  expect((await ingest(key, bot.name)).status).toBe(201);
  expect((await newestTrace()).agentId).toBe(bot.id);
  expect(await statusOf(ingest(key, other.id))).toEqual([403, 'FORBIDDEN']);
});

test('an agent key opens nothing else', async () => {
  const { key, id } = await createAgent(app, ada);
  for (const [method, address] of [
    ['GET', path],
    ['GET', `${path}/${id}`],
    ['POST', `${path}/${id}/regenerate-key`],
    ['GET', '/api/v1/policies'],
    ['GET', '/api/v1/traces'],
  ] as const)
    expect(await statusOf(app.call(method, address, { key }))).toEqual([403, 'FORBIDDEN']);
});

test("an agent's own limit holds for its key alone; null, zero and negative lift it", async () => {
  const bot = await createAgent(app, ada);
  const limit = (maxRequestsPerMinute: number | null) =>
    change(`${bot.id}/policies`, { maxRequestsPerMinute });
  await limit(2);
  const first = await ingest(bot.key, bot.id);
  expect([
    first.status,
    first.headers.get('ratelimit-limit'),
    first.headers.get('ratelimit-remaining'),
  ]).toEqual([201, '2', '1']);
  expect((await ingest(bot.key, bot.id)).status).toBe(201);
  const refused = await ingest(bot.key, bot.id);
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(refused.body.data).toEqual({ limit: 2, windowSeconds: 60 });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const { key } = await createWorkspaceKey(app, ada);
  expect((await ingest(key, bot.id)).status).toBe(201);
  for (const none of [null, 0, -1]) {
    await limit(none);
    expect((await ingest(bot.key, bot.id)).status).toBe(201);
  }
  await limit(1);
  expect((await ingest(bot.key, bot.id)).status).toBe(429);
});

test('what an agent did is counted and its versions are listed as they appeared', async () => {
  const bot = await createAgent(app, ada);
  const conditions = [{ field: 'metadata.verdict', operator: 'equals', value: 'block' }];
  const policy = { name: `Stop ${bot.id}`, conditions, actions: [{ type: 'block' }] };
  const { _id } = assertOk(
    await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }),
  ).body.data;
  for (const more of [
    { agentVersion: 'v2' },
    { agentVersion: 'v1' },
    { agentVersion: 'v2', metadata: { verdict: 'block' } },
  ])
    await app.call('POST', '/api/v1/traces', { key: bot.key, body: buildDecision(bot.id, more) });
  await app.instance.runJobsOnce();
  const read = async (address: string) =>
    assertOk(await app.call('GET', address, { token: ada.token })).body;
  const versions = await read(`${path}/${bot.id}/versions`);
  expect(versions.data).toEqual(['v2', 'v1']);
  expect(
    versions.history.map(({ version, traces }: { version: string; traces: number }) => [
      version,
      traces,
    ]),
  ).toEqual([
    ['v2', 2],
    ['v1', 1],
  ]);
  expect((await read(`${path}/${bot.id}/analytics`)).data).toEqual({
    totalTraces: 3,
    blocked: 1,
    flagged: 0,
    approved: 2,
  });
  expect((await read(`${path}/${bot.id}`)).data.lastActive).toBe(versions.history[0].lastSeenAt);
  expect((await read(`/api/v1/policies/${_id}`)).data).toMatchObject({
    matchCount: 1,
    lastMatched: versions.history[0].lastSeenAt,
    revision: 1,
  });
});

test('a paused agent is blocked on every way, with the reason, sealed, on both instances; then it goes on', async () => {
  const bot = await createAgent(app, ada);
  const { key: workspaceKey } = await createWorkspaceKey(app, ada);
  const move = async (step: 'pause' | 'resume', body: object): Promise<Answer> =>
    app.call('POST', `${path}/${bot.id}/${step}`, { token: ada.token, body });
  // The thread for large bodies starts with the first, which may take long on a busy machine.
  await change(`${bot.id}/policies`, { timeoutMs: 60_000 });
  const reason = 'It pays everybody twice';
  const { data: paused } = assertOk(await move('pause', { reason })).body;
  expect(paused.paused).toMatchObject({ reason, by: ada.userId, at: expect.any(String) });
  const BLOCKED = {
    status: 403,
    body: {
      code: 'SVC_BLOCKED_BY_POLICY',
      data: {
        status: 'blocked',
        matchedPolicy: { name: 'agentPaused', reason: `The agent is paused: ${reason}` },
        tags: expect.arrayContaining(['AGENT_PAUSED']),
        hashChain: { chainHash: expect.any(String) },
      },
    },
  };
  expect(await ingest(bot.key, bot.id)).toMatchObject(BLOCKED);
  expect(await ingest(workspaceKey, bot.name)).toMatchObject(BLOCKED);
  const long = buildDecision(bot.id, { metadata: { text: 'x'.repeat(60_000) } });
  expect(await app.call('POST', '/api/v1/traces', { key: bot.key, body: long })).toMatchObject({
    status: 403,
  });
  const batch = { decisions: [buildDecision(bot.id)] };
  const { results } = (
    await app.call('POST', '/api/v1/traces/batch', { key: bot.key, body: batch })
  ).body.data;
  expect(results[0]).toMatchObject({ status: 403 });
  await expect.poll(async () => ingest(bot.key, bot.id, second)).toMatchObject(BLOCKED);
  const other = await createAgent(app, ada);
  expect((await ingest(other.key, other.id)).status).toBe(201);
  const [entry] = await listAuditEntries(app, ada, 'action=agent.pause');
  expect(entry).toMatchObject({ resourceId: bot.id, metadata: { reason } });
  expect(assertOk(await move('resume', {})).body.data.paused).toBeNull();
  expect((await ingest(bot.key, bot.id)).status).toBe(201);
  await expect.poll(async () => (await ingest(bot.key, bot.id, second)).status).toBe(201);
  for (const body of [{}, { reason: ' ' }, { reason: 5 }, { reason: 'x'.repeat(501) }])
    expect(await move('pause', body)).toMatchObject({
      status: 400,
      body: { code: 'SVC_VALIDATION_FAILED' },
    });
});

test('what was approved before a pause is not begun while it lasts', async () => {
  const bot = await createAgent(app, ada);
  assertOk(
    await app.call('POST', '/api/v1/policies', {
      token: ada.token,
      body: {
        name: `Once ${bot.name}`,
        conditions: [{ field: 'agentName', operator: 'equals', value: bot.name }],
        actions: [{ type: 'approve', config: { singleUse: true } }],
      },
    }),
  );
  const action = { tool: 'pay', arguments: { amount: 5 } };
  const body = buildDecision(bot.id, { outputDecision: { action } });
  const { data } = (await app.call('POST', '/api/v1/traces', { key: bot.key, body })).body;
  expect(data).toMatchObject({ status: 'approved', claimRequired: true });
  const claim = async (): Promise<Answer> =>
    app.call('POST', `/api/v1/traces/${data.traceId}/executions`, {
      key: bot.key,
      body: { rawActionDigest: hashAction(action) },
    });
  const pause = { token: ada.token, body: { reason: 'Wait' } };
  assertOk(await app.call('POST', `${path}/${bot.id}/pause`, pause));
  const refused = await claim();
  expect(await statusOf(Promise.resolve(refused))).toEqual([403, 'APPROVAL_REJECTED']);
  expect(refused.body.error).toBe('The agent is paused: Wait');
  assertOk(await app.call('POST', `${path}/${bot.id}/resume`, { token: ada.token, body: {} }));
  expect((await claim()).status).toBe(201);
});
