// Alert rules over HTTP: made, changed, removed, tried out, and what they do when decisions match (document 2, section 4.4).
import { beforeAll, describe, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { createOwner, createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { startReceiver, verifyMessage } from '../../setup/providers/receiver.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/alerts';
const MINUTE = 60_000;
let ahead = 0;
let cpi: number | null = null;

const receiver = useFixture(startReceiver, (one) => one.close());
const mail = useFixture(startMailServer, (server) => server.close());
const harness = useHarness(
  () => ({
    ASSAY_OUTBOUND_ALLOW: receiver.host,
    ASSAY_WEBHOOK_TIMEOUT_MS: '2000',
    ASSAY_LIMIT_ALERT_MAILS: '6',
    SMTP_URL: mail.url,
  }),
  { clock: { now: () => new Date(Date.now() + ahead) }, cpiIndexOf: () => Promise.resolve(cpi) },
);
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  await holdMail(harness);
  ({ key } = await createWorkspaceKey(app, ada));
});

let made = 0;
const ruleBody = (more: object = {}) => ({
  name: `Rule ${(made += 1)}`,
  condition: { field: 'confidenceScore', operator: 'gte', value: 0 },
  actions: [{ type: 'webhook', target: `${receiver.url}/rule-${made}` }],
  ...more,
});
const create = (more: object = {}, who = ada): Promise<Answer> =>
  app.call('POST', path, { token: who.token, body: ruleBody(more) });
const createOk = async (more: object = {}) => {
  const { data } = assertOk(await create(more)).body;
  return { ...data, at: `/rule-${made}` };
};
const change = (id: string, body: object, who = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token: who.token, body });
const remove = (id: string, who = ada): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}`, { token: who.token });
const list = async (who = ada) => assertOk(await app.call('GET', path, { token: who.token })).body;
const tryOut = (id: string): Promise<Answer> =>
  app.call('POST', `${path}/${id}/test`, { token: ada.token });
const post = async (by = key) =>
  assertOk(await app.call('POST', '/api/v1/traces', { key: by, body: buildDecision('bot') })).body
    .data;
const run = (): Promise<void> => app.instance.runJobsOnce();

describe('a rule', () => {
  test('is made with defaults, listed, changed, and removed by owners only', async () => {
    const rule = assertOk(await create({ name: ' Low confidence ' })).body.data;
    expect(rule).toEqual({
      _id: rule.id,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      organizationId: ada.organizationId,
      workspaceId: null,
      name: 'Low confidence',
      description: '',
      severity: 'warning',
      isActive: true,
      condition: { field: 'confidenceScore', operator: 'gte', value: 0 },
      actions: [{ type: 'webhook', target: `${receiver.url}/rule-${made}` }],
      lastTriggeredAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await list()).data).toEqual([rule]);
    const status = { field: 'status', operator: 'eq', value: 'blocked' };
    const body = { severity: 'critical', description: 'd', isActive: false, condition: status };
    expect(assertOk(await change(rule.id, body)).body.data).toMatchObject({ ...body, id: rule.id });
    const bob = await createMember(harness, ada, 'admin');
    expect(toOutcome(await remove(rule.id, bob))).toEqual([403, 'FORBIDDEN']);
    expect(assertOk(await remove(rule.id)).body.data).toEqual({
      _id: rule.id,
      id: rule.id,
      deleted: true,
    });
    expect(toOutcome(await remove(rule.id))).toEqual([404, 'NOT_FOUND']);
    const actions = (await listAuditEntries(app, ada, 'resource=alert')).map(
      ({ action }) => action,
    );
    expect(actions).toEqual(
      expect.arrayContaining(['alert.create', 'alert.update', 'alert.delete']),
    );
  });

  test('has a name of its own in its workspace', async () => {
    const { id, name } = await createOk();
    expect(toOutcome(await create({ name }))).toEqual([409, 'ALREADY_EXISTS']);
    expect((await create({ name, workspaceId: ada.workspaceId })).status).toBe(201);
    const other = await createOk();
    expect(toOutcome(await change(other.id, { name }))).toEqual([409, 'ALREADY_EXISTS']);
    const eve = await createOwner(app, 'Eve');
    expect((await create({ name }, eve)).status).toBe(201);
    expect(toOutcome(await change(id, { isActive: false }, eve))).toEqual([404, 'NOT_FOUND']);
    for (const rule of (await list()).data) assertOk(await remove(rule.id));
  });

  const email = { type: 'email', target: 'a@example.com' };
  test.each([
    ['no name', { name: undefined }],
    ['a blank name', { name: '  ' }],
    ['a long name', { name: 'x'.repeat(101) }],
    ['an unknown severity', { severity: 'high' }],
    ['no condition', { condition: undefined }],
    ['an unknown field', { condition: { field: 'tags', operator: 'eq', value: 1 } }],
    ['an unknown operator', { condition: { field: 'cpiScore', operator: 'ne', value: 1 } }],
    ['a text for a number', { condition: { field: 'cpiScore', operator: 'lt', value: '1' } }],
    ['a number for a status', { condition: { field: 'status', operator: 'eq', value: 1 } }],
    ['an order of statuses', { condition: { field: 'status', operator: 'lt', value: 'blocked' } }],
    ['no actions', { actions: [] }],
    ['eleven actions', { actions: Array.from({ length: 11 }, () => email) }],
    ['an unknown action', { actions: [{ type: 'sms', target: 'a' }] }],
    ['a target that is no address', { actions: [{ type: 'email', target: 'no-address' }] }],
    ['a target that is no URL', { actions: [{ type: 'chat', target: 'hooks' }] }],
    [
      'a long target',
      { actions: [{ type: 'chat', target: `https://a.example.com/${'x'.repeat(500)}` }] },
    ],
    ['a misspelt member', { isactive: false }],
  ])('is refused with %s', async (_what, more) => {
    expect(toOutcome(await create(more))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('a match', () => {
  test('is sent to webhooks as alert.triggered, and by every action', async () => {
    const hook = assertOk(
      await app.call('POST', '/api/v1/webhooks', {
        token: ada.token,
        body: { url: `${receiver.url}/alerts`, events: ['alert.triggered'] },
      }),
    ).body.data;
    const rule = await createOk({
      name: 'Watch bob@example.com',
      severity: 'critical',
      condition: { field: 'status', operator: 'eq', value: 'approved' },
      actions: [
        { type: 'webhook', target: `${receiver.url}/action` },
        { type: 'chat', target: `${receiver.url}/chat` },
        { type: 'email', target: ada.email.toUpperCase() },
      ],
    });
    const other = await createOk({
      condition: { field: 'confidenceScore', operator: 'lt', value: 0 },
    });
    const { traceId, confidenceScore, createdAt } = await post();
    await run();
    await run();
    const stored = await harness.db.collection('ledger').findOne({ traceId });
    const event = {
      event: 'alert.triggered',
      timestamp: createdAt,
      data: {
        ruleId: rule.id,
        ruleName: 'Watch [EMAIL]',
        traceId,
        traceIdMongo: stored?._id.toHexString(),
        condition: 'status eq approved',
        valueTriggeredAt: confidenceScore,
      },
    };
    const arrived = receiver.listMessages('/alerts');
    expect(arrived.map((message) => verifyMessage(message, hook.signingSecret))).toEqual([event]);
    expect(receiver.listMessages('/action').map(({ body }) => body)).toEqual([event]);
    expect(receiver.listMessages('/action')[0]?.headers['x-service-event']).toBe('alert.triggered');
    expect(receiver.listMessages('/chat')[0]?.body.text).toContain('Alert (critical): “Watch ');
    const received = mail.findNewest(ada.email);
    expect(received.subject).toBe('Alert (critical): “Watch [EMAIL]”');
    expect(received.text).toContain(traceId);
    expect(receiver.listMessages(other.at)).toEqual([]);
    const [unmatched, matched] = (await list()).data;
    expect([unmatched.lastTriggeredAt, matched.lastTriggeredAt]).toEqual([null, createdAt]);
    for (const id of [rule.id, other.id]) assertOk(await remove(id));
    assertOk(await app.call('DELETE', `/api/v1/webhooks/${hook.id}`, { token: ada.token }));
  });

  test(
    'is sent each time, but its rule acts once in five minutes',
    { tags: ['long'] },
    async () => {
      const hook = assertOk(
        await app.call('POST', '/api/v1/webhooks', {
          token: ada.token,
          body: { url: `${receiver.url}/storm`, events: ['alert.triggered'] },
        }),
      ).body.data;
      const rule = await createOk();
      // A message comes at least once, under one id.
      const countAt = (at: string) =>
        new Set(receiver.listMessages(at).map(({ headers }) => headers['webhook-id'])).size;
      const arrived = () => [countAt('/storm'), countAt(rule.at)];
      // A message under way when the clock jumps would count as lost, and be sent again.
      const pending = () => harness.db.collection('outbox').countDocuments({ status: 'pending' });
      for (let n = 0; n < 5; n++) await post();
      await run();
      await expect.poll(arrived).toEqual([5, 1]);
      await expect.poll(pending).toBe(0);
      ahead += 4 * MINUTE;
      const { createdAt } = await post();
      await run();
      await expect.poll(arrived).toEqual([6, 1]);
      await expect.poll(pending).toBe(0);
      expect((await list()).data[0].lastTriggeredAt).toBe(createdAt);
      ahead += 2 * MINUTE;
      await post();
      await run();
      await expect.poll(arrived).toEqual([7, 2]);
      assertOk(await remove(rule.id));
      assertOk(await app.call('DELETE', `/api/v1/webhooks/${hook.id}`, { token: ada.token }));
    },
  );

  test('needs an active rule of its workspace', async () => {
    const workspaceId = assertOk(
      await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'Two' } }),
    ).body.data._id as string;
    const two = await createWorkspaceKey(app, ada, { workspaceId });
    const ofTwo = await createOk({ workspaceId });
    const paused = await createOk({ isActive: false });
    await post();
    await run();
    expect(receiver.listMessages(ofTwo.at)).toEqual([]);
    await post(two.key);
    await run();
    expect([
      receiver.listMessages(ofTwo.at).length,
      receiver.listMessages(paused.at).length,
    ]).toEqual([1, 0]);
    for (const { id } of [ofTwo, paused]) assertOk(await remove(id));
  });

  test('is not delivered when its decision is erased first', async () => {
    const rule = await createOk();
    const { traceId } = await post();
    await app.instance.consumers.runOnce();
    const stored = await harness.db.collection('ledger').findOne({ traceId });
    const body = { ids: [stored?._id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    await run();
    expect(receiver.listMessages(rule.at)).toEqual([]);
    assertOk(await remove(rule.id));
  });

  test('is not delivered when its rule is removed or paused first', async () => {
    const mails = mail.received.length;
    const target = 'paused@example.com';
    const [removed, paused] = [await createOk(), await createOk()];
    const mailing = await createOk({ actions: [{ type: 'email', target }] });
    await post();
    await app.instance.consumers.runOnce();
    assertOk(await remove(removed.id));
    for (const { id } of [paused, mailing]) assertOk(await change(id, { isActive: false }));
    await run();
    expect([receiver.listMessages(removed.at), receiver.listMessages(paused.at)]).toEqual([[], []]);
    expect(mail.received.length).toBe(mails);
    for (const { id } of [paused, mailing]) assertOk(await remove(id));
  });

  test('writes nothing where there is no rule', async () => {
    const gus = await createOwner(app, 'Gus');
    const { key: guses } = await createWorkspaceKey(app, gus);
    await post(guses);
    await run();
    const where = { organizationId: toObjectId(gus.organizationId) };
    expect(await harness.db.collection('outbox').countDocuments(where)).toBe(0);
  });
});

describe('a test', () => {
  test('runs every action, also of a paused rule', async () => {
    const actions = [
      { type: 'chat', target: `${receiver.url}/try` },
      { type: 'webhook', target: `${receiver.url}/try` },
      { type: 'email', target: ada.email },
    ];
    const { id } = await createOk({ isActive: false, actions });
    const answer = assertOk(await tryOut(id));
    expect(answer.body.data.actions).toEqual(
      actions.map((action) => ({
        ...action,
        ok: true,
        statusCode: action.type === 'email' ? null : 204,
        error: null,
      })),
    );
    expect(receiver.listMessages('/try')).toHaveLength(2);
    expect(mail.findNewest(ada.email).text).toContain('trc_test');
    expect((await list()).data[0].lastTriggeredAt).toBeNull();
    assertOk(await remove(id));
  });

  test('mails members only, and so does a match', async () => {
    const eve = await createOwner(app, 'Stranger');
    const strangers = ['stranger@example.com', eve.email];
    const actions = strangers.map((target) => ({ type: 'email', target }));
    const { id } = await createOk({ actions });
    const answer = await tryOut(id);
    expect(toOutcome(answer)).toEqual([400, 'TEST_FAILED']);
    for (const action of answer.body.data.actions)
      expect(action).toMatchObject({ ok: false, error: expect.stringContaining('members') });
    await post();
    await run();
    const arrived = mail.received.filter(({ text = '' }) => text.includes('An alert rule of'));
    const recipients = arrived.flatMap((one) => one.recipients);
    for (const stranger of strangers) expect(recipients).not.toContain(stranger);
    assertOk(await remove(id));
  });

  test('that fails says how each action went', async () => {
    receiver.answers.set('/bad', (response) => response.writeHead(500).end());
    const actions = [
      { type: 'webhook', target: `${receiver.url}/bad` },
      { type: 'webhook', target: `${receiver.url}/fine` },
    ];
    const { id } = await createOk({ actions });
    const answer = await tryOut(id);
    expect(toOutcome(answer)).toEqual([400, 'TEST_FAILED']);
    expect(answer.body.data.actions).toMatchObject([
      { ok: false, statusCode: 500, error: 'answered 500' },
      { ok: true, statusCode: 204, error: null },
    ]);
    assertOk(await remove(id));
  });

  test('sends no more mails in a day than there may be', { tags: ['long'] }, async () => {
    const { id } = await createOk({ actions: [{ type: 'email', target: ada.email }] });
    const answers: Answer[] = [];
    for (let n = 0; n < 7; n++) answers.push(await tryOut(id));
    expect(answers.at(-1)?.body.data.actions[0].error).toBe('too many mails today');
    const count = mail.received.filter(({ text = '' }) => text.includes('An alert rule of'));
    expect(count.length).toBeLessThanOrEqual(6);
    assertOk(await remove(id));
  });
});

describe('the index', () => {
  const check = () => app.call('POST', `${path}/check-cpi`, { token: ada.token });

  test('is checked against its rules', async () => {
    const low = await createOk({ condition: { field: 'cpiScore', operator: 'lt', value: 70 } });
    const high = await createOk({ condition: { field: 'cpiScore', operator: 'gte', value: 70 } });
    await createOk();
    cpi = null;
    expect(assertOk(await check()).body.data).toEqual({
      cpiScore: null,
      evaluated: 2,
      triggered: [],
    });
    cpi = 61.5;
    expect(assertOk(await check()).body.data).toEqual({
      cpiScore: 61.5,
      evaluated: 2,
      triggered: [{ ruleId: low.id, ruleName: low.name }],
    });
    assertOk(await check());
    await run();
    expect(receiver.listMessages(low.at).map(({ body }) => body.data)).toEqual([
      {
        ruleId: low.id,
        ruleName: low.name,
        traceId: null,
        traceIdMongo: null,
        condition: 'cpiScore lt 70',
        valueTriggeredAt: 61.5,
      },
    ]);
    expect(receiver.listMessages(high.at)).toEqual([]);
  });
});
