// Webhooks over HTTP: made, listed, changed, removed, tried out (document 2, section 4.7).
import { describe, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, assertOk } from '../../setup/personas.ts';
import { startReceiver, verifyMessage } from '../../setup/providers/receiver.ts';
import { toOutcome, type Answer, type Call } from '../../setup/start-app.ts';

const path = '/api/v1/webhooks';
const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({
  ASSAY_OUTBOUND_ALLOW: `${receiver.host},127.0.0.1:64999`,
  // Long enough for an answer on a busy machine, and two tests wait for its end.
  ASSAY_WEBHOOK_TIMEOUT_MS: '1500',
}));
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

let made = 0;
const anyUrl = (): string => `https://hooks.example.com/${(made += 1)}`;
const create = (body: object, who = ada, more: Call = {}): Promise<Answer> =>
  app.call('POST', path, { token: who.token, body, ...more });
const createOk = async (more: object = {}, who = ada) =>
  assertOk(await create({ url: anyUrl(), events: ['*'], ...more }, who)).body.data;
const change = (id: string, body: object, who = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token: who.token, body });
const list = async (query = '', call: Call = { token: ada.token }) =>
  assertOk(await app.call('GET', `${path}?${query}`, call)).body;
const tryOut = (id: string): Promise<Answer> =>
  app.call('POST', `${path}/${id}/test`, { token: ada.token });

describe('a webhook', () => {
  test('is made with defaults, and its secret is shown once and sealed', async () => {
    const answer = await create({
      url: ' https://hooks.example.com/a ',
      events: ['trace.created'],
    });
    expect(answer.status).toBe(201);
    expect(answer.body.message).toContain('not shown again');
    const { signingSecret, ...shown } = answer.body.data;
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      _id: shown.id,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      organizationId: ada.organizationId,
      workspaceId: null,
      url: 'https://hooks.example.com/a',
      events: ['trace.created'],
      type: 'custom',
      description: '',
      isActive: true,
      switchedOffAt: null,
      switchedOffReason: null,
      deliveryCount: 0,
      deliverySuccessCount: 0,
      lastTriggered: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const listed = await list();
    expect(listed.data).toEqual([shown]);
    const stored = await harness.db.collection('webhooks').findOne({ _id: toObjectId(shown.id) });
    expect(JSON.stringify(stored)).not.toContain(signingSecret.slice(6));
    const [entry] = await listAuditEntries(app, ada, 'action=webhook.create');
    expect(entry).toMatchObject({ status: 'success', resource: 'webhook', resourceId: shown.id });
    expect(JSON.stringify(entry)).not.toContain(signingSecret.slice(6));
  });

  test.each([
    ['no url', { events: ['*'] }],
    ['a url that is none', { url: 'hooks.example.com', events: ['*'] }],
    ['a url that is too long', { url: `https://a.example.com/${'x'.repeat(2048)}`, events: ['*'] }],
    ['no events', { url: anyUrl() }],
    ['an empty list of events', { url: anyUrl(), events: [] }],
    ['an event that only * brings', { url: anyUrl(), events: ['trace.blocked'] }],
    ['the test event', { url: anyUrl(), events: ['webhook.test'] }],
    ['too many events', { url: anyUrl(), events: Array.from({ length: 50 }, () => '*') }],
    ['an unknown type', { url: anyUrl(), events: ['*'], type: 'chat_c' }],
    ['a long description', { url: anyUrl(), events: ['*'], description: 'x'.repeat(101) }],
    ['a secret of its own', { url: anyUrl(), events: ['*'], signingSecret: 'whsec_aaaa' }],
  ])('is refused with %s', async (_what, body) => {
    expect(toOutcome(await create(body))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test.each(['trace.created', 'alert.triggered', 'agent.created', 'setting.updated', '*'])(
    'may subscribe to %s',
    async (event) => {
      expect((await createOk({ events: [event, event] })).events).toEqual([event]);
    },
  );

  test('with the same address and events exists once, whatever their order, also made at once', async () => {
    const url = anyUrl();
    const events = ['trace.created', 'alert.triggered'];
    const both = await Promise.all([create({ url, events }), create({ url, events })]);
    expect(both.map(toOutcome).sort()).toEqual([
      [201, undefined],
      [400, 'DUPLICATE'],
    ]);
    expect(toOutcome(await create({ url, events: [...events].reverse() }))).toEqual([
      400,
      'DUPLICATE',
    ]);
    const other = await createOk({ url, events: ['*'] });
    expect(toOutcome(await change(other.id, { events }))).toEqual([400, 'DUPLICATE']);
    expect((await create({ url, events }, eve)).status).toBe(201);
  });

  test('changes all but its secret', async () => {
    const { id } = await createOk({ description: 'before' });
    const before = await harness.db.collection('webhooks').findOne({ _id: toObjectId(id) });
    const url = anyUrl();
    const body = {
      url,
      events: ['alert.triggered'],
      description: '',
      type: 'chat_b',
      isActive: false,
    };
    expect(assertOk(await change(id, body)).body.data).toMatchObject({ id, ...body });
    expect(assertOk(await change(id, { isActive: true })).body.data).toMatchObject({
      ...body,
      isActive: true,
    });
    expect(toOutcome(await change(id, { signingSecret: 'whsec_a' }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
    expect(toOutcome(await change(id, { url: 'https://127.0.0.1/' }))).toEqual([
      400,
      'SSRF_BLOCKED',
    ]);
    const after = await harness.db.collection('webhooks').findOne({ _id: toObjectId(id) });
    expect(after?.sealedSecret).toBe(before?.sealedSecret);
    expect(toOutcome(await change(id, body, eve))).toEqual([404, 'NOT_FOUND']);
  });

  test('is gone when it is removed; the audit entry stays', async () => {
    const { id } = await createOk();
    const remove = () => app.call('DELETE', `${path}/${id}`, { token: ada.token });
    expect(assertOk(await remove()).body.data).toEqual({ _id: id, id, deleted: true });
    expect(toOutcome(await remove())).toEqual([404, 'NOT_FOUND']);
    expect(await harness.db.collection('webhooks').countDocuments({ _id: toObjectId(id) })).toBe(0);
    const [entry] = await listAuditEntries(app, ada, 'action=webhook.delete');
    expect(entry).toMatchObject({ status: 'success', resourceId: id });
  });

  test('belongs to the workspace of the header or the body, and is seen there and in the organisation', async () => {
    const kim = await createMember(harness, eve, 'admin');
    const workspace = async (name: string): Promise<string> =>
      assertOk(await app.call('POST', '/api/v1/workspaces', { token: kim.token, body: { name } }))
        .body.data._id;
    const [one, two] = [await workspace('One'), await workspace('Two')];
    const at = (id: string): Call => ({ token: kim.token, headers: { 'x-workspace-id': id } });
    const url = anyUrl();
    const body = { url, events: ['*'] };
    const inOne = assertOk(await create(body, kim, at(one))).body.data;
    const inTwo = assertOk(await create({ ...body, workspaceId: two }, kim)).body.data;
    const inAll = assertOk(await create(body, kim)).body.data;
    expect([inOne.workspaceId, inTwo.workspaceId, inAll.workspaceId]).toEqual([one, two, null]);
    const ids = async (call: Call) =>
      (await list(`search=${encodeURIComponent(url)}`, call)).data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids({ token: kim.token })).toEqual([inAll.id, inTwo.id, inOne.id]);
    expect(await ids(at(one))).toEqual([inAll.id, inOne.id]);
    const patched = await app.call('PATCH', `${path}/${inTwo.id}`, {
      ...at(one),
      body: { description: 'x' },
    });
    expect(toOutcome(patched)).toEqual([404, 'NOT_FOUND']);
    const unknown = { ...body, workspaceId: ada.workspaceId };
    expect(toOutcome(await create(unknown, kim))).toEqual([404, 'NOT_FOUND']);
  });

  test('is one of a hundred at most', async () => {
    const finn = await createMember(harness, eve, 'owner');
    const before = await harness.db
      .collection('webhooks')
      .countDocuments({ organizationId: toObjectId(finn.organizationId) });
    const rows = Array.from({ length: 99 - before }, (_row, index) => ({
      organizationId: toObjectId(finn.organizationId),
      fingerprint: String(index),
    }));
    const { insertedIds } = await harness.db.collection('webhooks').insertMany(rows);
    const both = await Promise.all(
      [1, 2].map(() => create({ url: anyUrl(), events: ['*'] }, finn)),
    );
    expect(both.map(toOutcome).sort()).toEqual([
      [201, undefined],
      [400, 'INVALID_OPERATION'],
    ]);
    await harness.db
      .collection('webhooks')
      .deleteMany({ _id: { $in: Object.values(insertedIds) } });
  });
});

describe('the list', () => {
  test('is searched by address and description, literally and whatever the case', async () => {
    const { id } = await createOk({ description: 'Orders (EU) 100%' });
    const found = async (text: string) =>
      (await list(`search=${encodeURIComponent(text)}`)).data.map((one: { id: string }) => one.id);
    expect(await found('orders (eu)')).toEqual([id]);
    expect(await found('ORDERS.*')).toEqual([]);
    expect(await found('HOOKS.EXAMPLE.com')).toContain(id);
    expect((await list('limit=1')).count).toBe(1);
    expect((await list('limit=5000')).pagination.limit).toBe(200);
    for (const query of ['limit=0', `search=${'x'.repeat(101)}`])
      expect(toOutcome(await app.call('GET', `${path}?${query}`, { token: ada.token }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ]);
  });

  test('is shown to members and keys, without secrets', async () => {
    const viewer = await createMember(harness, ada, 'viewer');
    const { key } = await createWorkspaceKey(app, ada);
    for (const call of [{ token: viewer.token }, { key }]) {
      const { data, count } = await list('', call);
      expect(data).toHaveLength(count);
      expect(JSON.stringify(data)).not.toMatch(/secret|whsec|fingerprint/i);
    }
    expect(toOutcome(await create({ url: anyUrl(), events: ['*'] }, viewer))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });
});

describe('a test', () => {
  test('sends a signed webhook.test', async () => {
    const { id, signingSecret } = await createOk({ url: `${receiver.url}/good` });
    const answer = assertOk(await tryOut(id));
    expect(answer.body).toEqual({
      success: true,
      data: { delivered: true, statusCode: 204, durationMs: expect.any(Number), error: null },
    });
    const [message] = receiver.listMessages('/good');
    if (!message) throw new Error('nothing came');
    expect(verifyMessage(message, signingSecret)).toEqual({
      event: 'webhook.test',
      timestamp: expect.stringMatching(/Z$/),
      data: { message: expect.any(String) },
    });
    expect(message.headers).toMatchObject({
      'x-service-event': 'webhook.test',
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{24}$/),
    });
    const other = (await createOk()).signingSecret;
    expect(() => verifyMessage(message, other)).toThrow();
    expect(() => verifyMessage({ ...message, text: `${message.text} ` }, signingSecret)).toThrow();
  });

  test.each([
    ['answers 500', 500, 'answered 500'],
    ['redirects', 302, 'answered 302'],
  ])('of a receiver that %s is answered with 200 and a code', async (_what, status, error) => {
    const where = `/${status}`;
    receiver.answers.set(where, (response) =>
      response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end(),
    );
    const { id } = await createOk({ url: receiver.url + where });
    const answer = await tryOut(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      success: false,
      code: 'WEBHOOK_TEST_FAILED',
      error: `The receiver ${error}`,
      data: { delivered: false, statusCode: status, error },
    });
    expect(receiver.listMessages('/elsewhere')).toEqual([]);
  });

  test(
    'of one that is not there, or does not answer in time, or has no end',
    { tags: ['long'] },
    async () => {
      const gone = await createOk({ url: 'http://127.0.0.1:64999/' });
      expect((await tryOut(gone.id)).body).toMatchObject({
        code: 'WEBHOOK_TEST_FAILED',
        data: { statusCode: null, error: 'did not answer: ECONNREFUSED' },
      });
      receiver.answers.set('/silent', () => undefined);
      const silent = await createOk({ url: `${receiver.url}/silent` });
      expect((await tryOut(silent.id)).body.data.error).toBe('did not answer: it took too long');
      receiver.answers.set('/endless', (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'.repeat(50_000)), 1);
        response.on('close', () => clearInterval(timer));
      });
      const endless = await createOk({ url: `${receiver.url}/endless` });
      expect((await tryOut(endless.id)).body.data).toMatchObject({
        delivered: true,
        statusCode: 200,
      });
    },
  );

  test('speaks the language of the two chats', async () => {
    for (const type of ['chat_a', 'chat_b']) {
      const { id } = await createOk({ url: `${receiver.url}/${type}`, type });
      expect((await tryOut(id)).body.success).toBe(true);
    }
    expect(receiver.listMessages('/chat_a')[0]?.body.text).toContain('Test of a webhook');
    expect(receiver.listMessages('/chat_b')[0]?.body.attachments[0].content.type).toBe(
      'AdaptiveCard',
    );
  });

  test('of an address that has become forbidden reaches nothing', async () => {
    const { id } = await createOk();
    const hostile = { $set: { url: `http://localhost:${receiver.host.split(':')[1]}/` } };
    await harness.db.collection('webhooks').updateOne({ _id: toObjectId(id) }, hostile);
    const before = receiver.connections;
    expect(toOutcome(await tryOut(id))).toEqual([400, 'SSRF_BLOCKED']);
    expect(receiver.connections).toBe(before);
  });
});
