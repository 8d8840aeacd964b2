// Workspace keys over HTTP: created, scoped, used, revoked (document 1, sections 2, 4.2 and 5).
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
} from '../../../setup/personas.ts';
import { toOutcome, startApp, type Answer } from '../../../setup/start-app.ts';

const RAW = /^svc_live_[0-9a-f]{64}$/;
const path = '/api/v1/auth/keys';

let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const mint = (body: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', path, { token, body });
const list = ({ token } = ada): Promise<Answer> => app.call('GET', path, { token });
const change = (id: string, body: unknown, { token } = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token, body });
const revoke = (id: string, { token } = ada): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}`, { token });
const post = (key: string, agentId: string, headers = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key, body: buildDecision(agentId), headers });
const read = (key: string, below = '/api/v1/traces', headers = {}): Promise<Answer> =>
  app.call('GET', below, { key, headers });

test('a key is shown once; afterwards only its prefix', async () => {
  const { status, body } = await mint({ name: '  ingest  ' });
  expect(status).toBe(201);
  const { key, ...rest } = body.data;
  expect(key).toMatch(RAW);
  expect(rest).toEqual({
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    organizationId: ada.organizationId,
    name: 'ingest',
    prefix: key.slice(0, 17),
    workspaceId: null,
    scope: { agentIds: null, readOnly: false },
    createdBy: ada.userId,
    lastUsedAt: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const listed = await list();
  expect(listed.body.data).toContainEqual(rest);
  expect(listed.text).not.toContain(key);
  expect((await change(rest._id, { name: 'renamed' })).text).not.toContain(key);
});

test('only the hash of a key is stored in any collection', async () => {
  const { key, id } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  assertOk(await post(key, bot.id));
  const kept = await harness.db.collection('workspace_keys').findOne({ _id: toObjectId(id) });
  expect(kept?.keyHash).toBe(createHash('sha256').update(key).digest('hex'));
  for (const { collectionName } of await harness.db.collections()) {
    const text = JSON.stringify(await harness.db.collection(collectionName).find().toArray());
    expect(text, collectionName).not.toContain(key);
    expect(text, collectionName).not.toContain(bot.key);
    expect(text, collectionName).not.toContain(key.slice('svc_live_'.length + 8));
  }
});

test('keys are listed page by page, newest first, without the revoked and without those of others', async () => {
  const home = await createOwner(app);
  const made = [];
  for (const name of ['one', 'two', 'three'])
    made.push(assertOk(await mint({ name }, home)).body.data._id);
  assertOk(await revoke(made[1], home));
  const first = await app.call('GET', `${path}?limit=1`, { token: home.token });
  expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['three']);
  expect(first.body).toMatchObject({
    count: 1,
    total: 2,
    pagination: { page: 1, limit: 1, total: 2, pages: 2, hasMore: true },
  });
  const second = await app.call('GET', `${path}?limit=1&page=2`, { token: home.token });
  expect(second.body.data[0].name).toBe('one');
  expect(second.body.pagination.hasMore).toBe(false);
});

test.each([
  [{}],
  [{ name: '' }],
  [{ name: 'x'.repeat(101) }],
  [{ name: ['a'] }],
  [{ name: 'a', scope: { readonly: true } }],
  [{ name: 'a', scope: { agentIds: [] } }],
  [{ name: 'a', scope: { agentIds: ['short'] } }],
  [{ name: 'a', scope: { readOnly: 'true' } }],
  [{ name: 'a', readOnly: true }],
  [{ name: 'a', workspaceId: { $ne: null } }],
])('a key of %j is refused', async (body) => {
  expect(toOutcome(await mint(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('a key cannot be limited to an agent or workspace of another organisation', async () => {
  const foreign = await createAgent(app, eve);
  for (const body of [
    { name: 'a', scope: { agentIds: [foreign.id] } },
    { name: 'a', scope: { agentIds: ['a'.repeat(24)] } },
    { name: 'a', workspaceId: eve.workspaceId },
    { name: 'a', workspaceId: 'a'.repeat(24) },
  ])
    expect(toOutcome(await mint(body)), JSON.stringify(body)).toEqual([404, 'NOT_FOUND']);
  const { id } = await createWorkspaceKey(app, ada);
  expect(toOutcome(await change(id, { scope: { agentIds: [foreign.id] } }))).toEqual([
    404,
    'NOT_FOUND',
  ]);
});

test('name and scope are changed one by one, with an entry each, and count at once', async () => {
  const { key, id } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  expect((await change(id, { name: 'renamed' })).body.data).toMatchObject({
    name: 'renamed',
    scope: { readOnly: false },
  });
  expect((await post(key, bot.id)).status).toBe(201);
  expect((await change(id, { scope: { readOnly: true } })).body.data).toMatchObject({
    name: 'renamed',
    scope: { readOnly: true, agentIds: null },
  });
  expect(toOutcome(await post(key, bot.id))).toEqual([403, 'FORBIDDEN']);
  expect((await change(id, { scope: { agentIds: [bot.id] } })).body.data.scope).toEqual({
    readOnly: true,
    agentIds: [bot.id],
  });
  expect(
    (await change(id, { scope: { agentIds: null, readOnly: false } })).body.data.scope,
  ).toEqual({
    readOnly: false,
    agentIds: null,
  });
  expect((await post(key, bot.id)).status).toBe(201);
  expect(await listAuditEntries(app, ada, `action=apikey.update&resourceId=${id}`)).toHaveLength(4);
  for (const body of [{ prefix: 'svc' }, { keyHash: 'x' }, { workspaceId: null }])
    expect(toOutcome(await change(id, body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('a read-only key reads and writes nothing', async () => {
  const { key } = await createWorkspaceKey(app, ada, { scope: { readOnly: true } });
  const bot = await createAgent(app, ada);
  expect((await read(key)).status).toBe(200);
  const refused = await post(key, bot.id);
  expect([refused.status, refused.body]).toEqual([
    403,
    { success: false, error: 'This key is read-only', code: 'FORBIDDEN' },
  ]);
});

test('a key limited to some agents ingests and reads only decisions of these agents', async () => {
  const [mine, other] = [await createAgent(app, ada), await createAgent(app, ada)];
  const { key: full } = await createWorkspaceKey(app, ada);
  const { key } = await createWorkspaceKey(app, ada, { scope: { agentIds: [mine.id] } });
  assertOk(await post(full, other.id));
  expect((await post(key, mine.id)).status).toBe(201);
  expect((await post(key, mine.name)).status).toBe(201);
  for (const agentId of [other.id, other.name, 'no known agent'])
    expect(toOutcome(await post(key, agentId)), agentId).toEqual([403, 'FORBIDDEN']);
  const seen = assertOk(await read(key)).body;
  expect(seen.data.map(({ agentId }: { agentId: string }) => agentId)).toEqual([mine.id, mine.id]);
  expect(seen.total).toBe(2);
  const theirs = assertOk(await read(full)).body.data.find(
    ({ agentId }: { agentId: string }) => agentId === other.id,
  );
  expect(toOutcome(await read(key, `/api/v1/traces/${theirs._id}`))).toEqual([404, 'NOT_FOUND']);
  expect(
    assertOk(await read(key, '/api/v1/agents')).body.data.map(({ _id }: { _id: string }) => _id),
  ).toEqual([mine.id]);
  expect(toOutcome(await read(key, `/api/v1/agents/${other.id}`))).toEqual([404, 'NOT_FOUND']);
});

test('a key bound to a workspace works there; x-workspace-id chooses for the others', async () => {
  const { _id: lab } = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'Lab' } }),
  ).body.data;
  const { key: bound } = await createWorkspaceKey(app, ada, { workspaceId: lab });
  const { key: free } = await createWorkspaceKey(app, ada);
  const of = async (key: string, headers = {}): Promise<string> => {
    const { traceId } = assertOk(await post(key, 'a free text agent', headers)).body.data;
    const found = await harness.db.collection('ledger').findOne({ traceId });
    return found?.workspaceId as string;
  };
  expect(await of(bound)).toBe(lab);
  expect(await of(bound, { 'x-workspace-id': lab })).toBe(lab);
  expect(await of(free)).toBe(ada.workspaceId);
  expect(await of(free, { 'x-workspace-id': lab.toUpperCase() })).toBe(lab);
  expect(toOutcome(await post(bound, 'x', { 'x-workspace-id': ada.workspaceId }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  for (const foreign of [eve.workspaceId, 'a'.repeat(24), 'no id', '%00', '{"$ne":null}'])
    expect(toOutcome(await post(free, 'x', { 'x-workspace-id': foreign })), foreign).toEqual([
      404,
      'NOT_FOUND',
    ]);
});

test('a revoked key is refused at once, here and on another instance', async () => {
  const second = await startApp({}, { mongoUri: harness.mongoUri });
  const { key, id } = await createWorkspaceKey(app, ada);
  assertOk(await read(key));
  assertOk(await second.call('GET', '/api/v1/traces', { key }));
  const { status, body } = await revoke(id);
  expect([status, body.data._id]).toEqual([200, id]);
  expect(toOutcome(await read(key))).toEqual([401, 'INVALID_API_KEY']);
  await expect
    .poll(async () => toOutcome(await second.call('GET', '/api/v1/traces', { key })), {
      interval: 10,
    })
    .toEqual([401, 'INVALID_API_KEY']);
  expect(toOutcome(await revoke(id))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await change(id, { name: 'again' }))).toEqual([404, 'NOT_FOUND']);
  await second.stop();
});

test('the last use is recorded, at most once a minute', async () => {
  const { key, id } = await createWorkspaceKey(app, ada);
  const noted = async (): Promise<string | null> =>
    assertOk(await list()).body.data.find(({ _id }: { _id: string }) => _id === id).lastUsedAt;
  assertOk(await read(key));
  await expect.poll(noted).not.toBeNull();
  const first = await noted();
  assertOk(await read(key));
  aheadMs = 61_000;
  assertOk(await read(key));
  await expect.poll(noted).not.toBe(first);
  expect(new Date((await noted()) ?? 0).getTime() - new Date(first ?? 0).getTime()).toBeGreaterThan(
    60_000,
  );
  aheadMs = 0;
});

test('two keys may be active at once, so that one can be rolled over', async () => {
  const [old, fresh] = [await createWorkspaceKey(app, ada), await createWorkspaceKey(app, ada)];
  expect([(await read(old.key)).status, (await read(fresh.key)).status]).toEqual([200, 200]);
  assertOk(await revoke(old.id));
  expect([(await read(old.key)).status, (await read(fresh.key)).status]).toEqual([401, 200]);
});

test(
  'at most fifty keys are active, however many are asked for at once',
  { tags: ['long'] },
  async () => {
    const grace = await createOwner(app, 'Grace');
    const answers = await Promise.all(
      Array.from({ length: 54 }, () => mint({ name: 'one of many' }, grace)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(toOutcome)).toEqual(Array(4).fill([400, 'INVALID_OPERATION']));
    expect((await list(grace)).body.pagination.total).toBe(50);
  },
);

test('a key is taken from X-API-Key and from Authorization', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  for (const headers of [
    { 'x-api-key': key },
    { authorization: `Bearer ${key}` },
    { authorization: `bearer  ${key}` },
    { 'x-api-key': key, authorization: `Bearer ${ada.token}` },
  ])
    expect(
      (await app.call('GET', '/api/v1/traces', { headers: headers as Record<string, string> }))
        .status,
    ).toBe(200);
});

test.each([
  [{}, 'NO_API_KEY'],
  [{ 'x-api-key': '' }, 'NO_API_KEY'],
  [{ 'x-api-key': 'garbage' }, 'INVALID_API_KEY_FORMAT'],
  [{ 'x-api-key': `svc_live_${'A'.repeat(64)}` }, 'INVALID_API_KEY_FORMAT'],
  [{ 'x-api-key': `svc_live_${'0'.repeat(63)}` }, 'INVALID_API_KEY_FORMAT'],
  [{ 'x-api-key': `svc_agent_${'0'.repeat(64)}` }, 'INVALID_API_KEY_FORMAT'],
  [{ 'x-api-key': `svc_live_${'0'.repeat(64)}` }, 'INVALID_API_KEY'],
  [{ 'x-api-key': `svc_agent_${'0'.repeat(48)}` }, 'INVALID_API_KEY'],
])('ingestion with the headers %j is answered %s', async (headers, code) => {
  const answer = await app.call('POST', '/api/v1/traces', {
    body: buildDecision('a'),
    headers: headers as Record<string, string>,
  });
  expect(toOutcome(answer)).toEqual([401, code]);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

test('each credential is for its own operations', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  const session = { token: ada.token, body: buildDecision(bot.id) };
  expect(toOutcome(await app.call('POST', '/api/v1/traces', session))).toEqual([
    401,
    'INVALID_API_KEY_FORMAT',
  ]);
  expect((await post(bot.key, bot.id)).status).toBe(201);
  expect(toOutcome(await read(bot.key))).toEqual([403, 'FORBIDDEN']);
  for (const below of ['/api/v1/auth/me', path, '/api/v1/audit'])
    expect(toOutcome(await read(key, below)), below).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await app.call('POST', path, { key, body: { name: 'by a key' } }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect(toOutcome(await app.call('POST', '/api/v1/policies', { key, body: {} }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  for (const below of ['/api/v1/traces', '/api/v1/auth/me'])
    expect(toOutcome(await app.call('GET', below))).toEqual([401, 'NO_TOKEN']);
});

test('an agent key ingests for its own agent only, and dies with the next one', async () => {
  const [bot, other] = [await createAgent(app, ada), await createAgent(app, ada)];
  expect((await post(bot.key, bot.name)).status).toBe(201);
  for (const named of [other.id, other.name, 'free text'])
    expect(toOutcome(await post(bot.key, named)), named).toEqual([403, 'FORBIDDEN']);
  const { apiKey } = assertOk(
    await app.call('POST', `/api/v1/agents/${bot.id}/regenerate-key`, { token: ada.token }),
  ).body.data;
  expect(toOutcome(await post(bot.key, bot.id))).toEqual([401, 'INVALID_API_KEY']);
  expect((await post(apiKey, bot.id)).status).toBe(201);
});

test('keys are managed by owners and admins; a refused attempt leaves an entry', async () => {
  const { id } = await createWorkspaceKey(app, ada);
  const admin = await createMember(harness, ada, 'admin');
  expect((await mint({ name: 'by admin' }, admin)).status).toBe(201);
  for (const role of ['reviewer', 'member', 'viewer', 'auditor']) {
    const person = await createMember(harness, ada, role);
    const answers = [
      await list(person),
      await mint({ name: 'no' }, person),
      await change(id, { name: 'no' }, person),
      await revoke(id, person),
    ];
    expect(answers.map(toOutcome), role).toEqual(Array(4).fill([403, 'FORBIDDEN']));
    const failures = await listAuditEntries(app, ada, `status=failure&userId=${person.userId}`);
    expect(
      failures.map(({ action, resourceId, userRole, metadata }) => [
        action,
        resourceId,
        userRole,
        metadata,
      ]),
    ).toEqual([
      ['apikey.revoke', id, role, { code: 'FORBIDDEN' }],
      ['apikey.update', id, role, { code: 'FORBIDDEN' }],
      ['apikey.create', null, role, { code: 'FORBIDDEN' }],
    ]);
  }
});

test('minting and revoking leave entries that do not hold the key', async () => {
  const { key, id } = await createWorkspaceKey(app, ada);
  assertOk(await revoke(id));
  const entries = await listAuditEntries(app, ada, `resource=apiKey&resourceId=${id}`);
  expect(entries.map(({ action, status, userId }) => [action, status, userId])).toEqual([
    ['apikey.revoke', 'success', ada.userId],
    ['apikey.create', 'success', ada.userId],
  ]);
  expect(JSON.stringify(entries)).not.toContain(key);
});

test('a key of another organisation is an unknown one', async () => {
  const { id } = await createWorkspaceKey(app, eve);
  for (const answer of [
    await change(id, { name: 'mine' }),
    await revoke(id),
    await revoke('no-id'),
    await revoke('%24ne'),
  ])
    expect(toOutcome(answer)).toEqual([404, 'NOT_FOUND']);
  expect(assertOk(await list(eve)).body.data.map(({ _id }: { _id: string }) => _id)).toContain(id);
});

test('at most fifty keys are active', async () => {
  const home = await createOwner(app);
  const { insertedCount } = await harness.db.collection('workspace_keys').insertMany(
    Array.from({ length: 50 }, (_, index) => ({
      organizationId: toObjectId(home.organizationId),
      name: `key ${index}`,
      keyHash: `hash ${home.userId} ${index}`,
      revokedAt: null,
    })),
  );
  expect(insertedCount).toBe(50);
  expect(toOutcome(await mint({ name: 'one more' }, home))).toEqual([400, 'INVALID_OPERATION']);
});
