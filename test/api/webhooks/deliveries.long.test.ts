// Deliveries to webhooks over real connections: signed, once, retried, listed, sent again (document 2, section 6).
// @module-tag long
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, toObjectId, startHarness } from '../../setup/harness.ts';
import {
  createAgent,
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  PASSWORD,
  type Owner,
} from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { startReceiver, verifyMessage, type Message } from '../../setup/providers/receiver.ts';
import { toOutcome, type Answer, type TestApp } from '../../setup/start-app.ts';
import { hasActiveWebhooks } from '../../../src/events/webhooks/subscriptions.service.ts';

const path = '/api/v1/webhooks';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let ahead = 0;

const receiver = useFixture(startReceiver, (one) => one.close());
const mail = useFixture(startMailServer, (server) => server.close());
const settings = () => ({
  ASSAY_OUTBOUND_ALLOW: receiver.host,
  ASSAY_WEBHOOK_TIMEOUT_MS: '5000',
  SMTP_URL: mail.url,
});
const clock = { now: () => new Date(Date.now() + ahead) };
const harness = useHarness(settings, { clock });
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  await holdMail(harness);
  ({ key } = await createWorkspaceKey(app, ada));
});

let made = 0;
interface Made {
  id: string;
  secret: string;
  received(): Message[];
  at: string;
}
async function webhook(more: object = {}, who: Owner = ada, on: TestApp = app): Promise<Made> {
  const at = `/${(made += 1)}`;
  const body = { url: receiver.url + at, events: ['*'], ...more };
  const { data } = assertOk(await on.call('POST', path, { token: who.token, body })).body;
  const { id, signingSecret: secret } = data;
  return { id, secret, at, received: () => receiver.listMessages(at) };
}
const remove = ({ id }: Made): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}`, { token: ada.token });
const post = async (action = 'reply', more: object = {}, by = key) =>
  (
    await app.call('POST', '/api/v1/traces', {
      key: by,
      body: buildDecision('bot', { outputDecision: { action }, ...more }),
    })
  ).body.data;
const run = (): Promise<void> => app.instance.runJobsOnce();
const show = async ({ id }: Made) =>
  assertOk(await app.call('GET', `${path}?limit=200`, { token: ada.token })).body.data.find(
    (one: { id: string }) => one.id === id,
  );
const log = async ({ id }: Made, query = '') =>
  assertOk(await app.call('GET', `${path}/${id}/deliveries?${query}`, { token: ada.token })).body;
const resend = ({ id }: Made, deliveryId: string): Promise<Answer> =>
  app.call('POST', `${path}/${id}/deliveries/${deliveryId}/resend`, { token: ada.token });
const answering = ({ at }: Made, status: number, headers = {}): void =>
  void receiver.answers.set(at, (response) => response.writeHead(status, headers).end());
async function policy(who: Owner, value: string, action: object): Promise<void> {
  const conditions = [{ field: 'outputDecision.action', operator: 'equals', value }];
  const body = { name: value, conditions, actions: [action] };
  assertOk(await app.call('POST', '/api/v1/policies', { token: who.token, body }));
}

describe('an event', () => {
  test('is delivered in the documented form to subscribers of * and of the event', async () => {
    await policy(ada, 'refund', { type: 'flag_for_review' });
    await policy(ada, 'wire', { type: 'block', config: { reason: 'No wires to bob@example.com' } });
    const all = await webhook();
    const named = await webhook({ events: ['trace.created'] });
    const alerts = await webhook({ events: ['alert.triggered'] });
    const paused = await webhook({ isActive: false });
    const timestamp = '2026-03-01T10:00:00.000Z';
    const created = await post('reply', { timestamp, metadata: { latencyMs: 12.5 } });
    const held = await post('refund', { timestamp });
    const blocked = await post('wire', { timestamp });
    await run();
    await run();
    const arrived = new Map(
      all
        .received()
        .map((message) => [
          message.headers['x-service-event'],
          verifyMessage(message, all.secret) as { data: object },
        ]),
    );
    expect(all.received()).toHaveLength(3);
    expect(arrived.get('trace.created')).toEqual({
      event: 'trace.created',
      timestamp: created.createdAt,
      data: {
        traceId: created.traceId,
        agentName: 'bot',
        status: 'approved',
        latency: 12.5,
        timestamp,
      },
    });
    expect(arrived.get('trace.hold_for_review')?.data).toEqual({
      traceId: held.traceId,
      reviewId: expect.stringMatching(/^[0-9a-f]{24}$/),
      agentName: 'bot',
      timestamp,
    });
    expect(arrived.get('trace.blocked')?.data).toEqual({
      traceId: blocked.traceId,
      agentName: 'bot',
      status: 'blocked',
      reason: 'No wires to [EMAIL]',
      timestamp,
    });
    expect(named.received().map(({ body }) => body.event)).toEqual(['trace.created']);
    expect([...alerts.received(), ...paused.received()]).toEqual([]);
    const ids = [...all.received(), ...named.received()].map(
      ({ headers }) => headers['webhook-id'],
    );
    expect(new Set(ids).size).toBe(4);
    const { deliveryCount, deliverySuccessCount, lastTriggered } = await show(all);
    expect([deliveryCount, deliverySuccessCount]).toEqual([3, 3]);
    expect(Date.parse(lastTriggered)).toBeGreaterThan(Date.parse(created.createdAt));
    for (const one of [all, named, alerts, paused]) await remove(one);
  });

  test('of a decision without a latency has 0', async () => {
    const one = await webhook();
    await post();
    await run();
    expect(one.received()[0]?.body.data.latency).toBe(0);
    await remove(one);
  });

  test('is delivered to its workspace and organisation, and to no other organisation', async () => {
    const eve = await createOwner(app, 'Eve');
    const workspaceId = assertOk(
      await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'Two' } }),
    ).body.data._id as string;
    const two = await createWorkspaceKey(app, ada, { workspaceId });
    const ofTwo = await webhook({ workspaceId });
    const ofAll = await webhook();
    const ofEve = await webhook({}, eve);
    const first = await post();
    const second = await post('reply', {}, two.key);
    await run();
    const traces = (one: Made) => one.received().map(({ body }) => body.data.traceId as string);
    expect(traces(ofTwo)).toEqual([second.traceId]);
    expect(traces(ofAll).sort()).toEqual([first.traceId, second.traceId].sort());
    expect(traces(ofEve)).toEqual([]);
    for (const one of [ofTwo, ofAll]) await remove(one);
  });

  test('writes no rows without subscribers, or when the plan has no webhooks', async () => {
    const gus = await createOwner(app, 'Gus');
    const guses = await createWorkspaceKey(app, gus);
    const rows = () =>
      harness.db
        .collection('outbox')
        .countDocuments({ organizationId: toObjectId(gus.organizationId) });
    await post('reply', {}, guses.key);
    await run();
    const one = await webhook({}, gus);
    const plan = { $set: { 'subscription.plan': 'sandbox' } };
    await harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(gus.organizationId) }, plan);
    await expect
      .poll(() => hasActiveWebhooks(app.instance.platform, gus.organizationId))
      .toBe(false);
    await post('reply', {}, guses.key);
    await run();
    expect([await rows(), one.received().length]).toEqual([0, 0]);
  });

  test('is neither delivered nor listed when its decision is erased first', async () => {
    const one = await webhook();
    answering(one, 500);
    const { traceId } = await post();
    await run();
    expect((await log(one)).count).toBe(1);
    const stored = await harness.db.collection('ledger').findOne({ traceId });
    const body = { ids: [stored?._id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    await app.instance.consumers.runOnce();
    ahead += 10 * MINUTE;
    answering(one, 204);
    await run();
    expect([one.received().length, (await log(one)).count]).toEqual([1, 0]);
    await remove(one);
  });

  test('as a chat message is what the chat reads', async () => {
    const chat = await webhook({ type: 'chat_a' });
    await createAgent(app, ada, '<!channel> bot');
    await post();
    await run();
    const [message] = chat.received();
    expect(message?.body.text).toMatch(/^Decision approved\nAgent: “bot”\n[^]*Decision: trc_/);
    expect(message?.headers['x-service-event']).toBe('trace.created');
    await remove(chat);
  });
});

describe('a delivery', () => {
  test('that fails is tried again on the schedule, under its id and a new signature', async () => {
    const one = await webhook();
    answering(one, 500);
    await post();
    await run();
    await run();
    expect(one.received()).toHaveLength(1);
    const [waiting] = (await log(one, 'status=pending')).data;
    expect(waiting).toMatchObject({
      webhookId: one.id,
      event: 'trace.created',
      status: 'pending',
      attempts: 1,
      statusCode: 500,
      error: 'answered 500',
      body: { event: 'trace.created' },
    });
    const wait = Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.lastAttemptAt);
    expect([wait > 4000, wait < 7000]).toEqual([true, true]);
    answering(one, 204);
    ahead += 6000;
    await run();
    const [first, second] = one.received();
    expect(first?.headers['webhook-id']).toBe(waiting.messageId);
    expect(second?.headers['webhook-id']).toBe(waiting.messageId);
    expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    const [delivered] = (await log(one)).data;
    expect(delivered).toMatchObject({
      status: 'delivered',
      attempts: 2,
      statusCode: 204,
      error: null,
      nextAttemptAt: null,
    });
    expect(await show(one)).toMatchObject({ deliveryCount: 2, deliverySuccessCount: 1 });
    await remove(one);
  });

  test('waits for as long as the receiver asks', { tags: ['long'] }, async () => {
    const one = await webhook();
    answering(one, 429, { 'retry-after': '3600' });
    await post();
    await run();
    ahead += 59 * MINUTE;
    await run();
    expect(one.received()).toHaveLength(1);
    ahead += 2 * MINUTE;
    await run();
    expect(one.received()).toHaveLength(2);
    await remove(one);
  });

  test('is sent again by hand, under its id, unless the webhook is paused', async () => {
    const one = await webhook();
    await post();
    await run();
    const [delivered] = (await log(one)).data;
    const again = assertOk(await resend(one, delivered.id)).body.data;
    expect(again).toMatchObject({ id: delivered.id, status: 'pending', attempts: 0 });
    await run();
    const ids = one.received().map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([delivered.messageId, delivered.messageId]);
    expect((await log(one)).data).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    const [entry] = await listAuditEntries(app, ada, 'action=webhook.resend');
    expect(entry).toMatchObject({ resourceId: one.id, metadata: { deliveryId: delivered.id } });
    const other = await webhook();
    expect(toOutcome(await resend(other, delivered.id))).toEqual([404, 'NOT_FOUND']);
    const pause = { isActive: false };
    assertOk(await app.call('PATCH', `${path}/${one.id}`, { token: ada.token, body: pause }));
    expect(toOutcome(await resend(one, delivered.id))).toEqual([400, 'INVALID_OPERATION']);
    await remove(one);
    await remove(other);
  });

  test('is not made when its webhook is paused first', async () => {
    const one = await webhook();
    answering(one, 500);
    await post();
    await run();
    const pause = { isActive: false };
    assertOk(await app.call('PATCH', `${path}/${one.id}`, { token: ada.token, body: pause }));
    ahead += 10 * MINUTE;
    await run();
    expect(one.received()).toHaveLength(1);
    expect((await log(one, 'status=failed')).data).toMatchObject([
      { error: 'the webhook is paused or gone' },
    ]);
    await remove(one);
  });

  test('to an address that has become forbidden reaches nothing', async () => {
    const one = await webhook();
    const url = `http://localhost:${receiver.host.split(':')[1]}${one.at}`;
    await harness.db
      .collection('webhooks')
      .updateOne({ _id: toObjectId(one.id) }, { $set: { url } });
    await post();
    await run();
    expect(one.received()).toEqual([]);
    expect((await log(one)).data).toMatchObject([{ status: 'pending', error: 'SSRF_BLOCKED' }]);
    await remove(one);
  });

  test('to a receiver that does not answer holds up no other', { tags: ['long'] }, async () => {
    const silent = await webhook();
    const good = await webhook();
    const held: (() => void)[] = [];
    receiver.answers.set(silent.at, (response) => held.push(() => response.end()));
    for (let n = 0; n < 10; n++) await post();
    const running = run();
    await expect.poll(() => good.received().length).toBe(10);
    expect(held.length).toBeLessThanOrEqual(2);
    receiver.answers.delete(silent.at);
    held.forEach((release) => release());
    await running;
    await remove(silent);
    await remove(good);
  });

  test(
    'that an instance had begun when it died is made by another, under the same id',
    { tags: ['long'] },
    async () => {
      const one = await webhook();
      await post();
      await app.instance.consumers.runOnce();
      const rows = harness.db.collection('outbox');
      const where = {
        organizationId: toObjectId(ada.organizationId),
        topic: 'event',
        status: 'pending',
      };
      expect(await rows.countDocuments(where)).toBe(1);
      // The row as a killed instance leaves it, with its lease.
      const lease = { attempts: 1, dueAt: new Date(Date.now() + ahead + MINUTE) };
      await rows.updateOne(where, { $set: lease });
      const { mongoUri } = harness;
      const second = await startHarness(settings(), { mongoUri, clock });
      try {
        await second.app.instance.runJobsOnce();
        expect(one.received()).toEqual([]);
        ahead += 2 * MINUTE;
        await Promise.all([second.app.instance.runJobsOnce(), run()]);
        expect(one.received()).toHaveLength(1);
        await second.app.instance.runJobsOnce();
        expect(one.received()).toHaveLength(1);
      } finally {
        await second.stop();
      }
      await remove(one);
    },
  );
});

describe('a webhook is switched off', () => {
  /** Sessions end while days pass. */
  beforeEach(async () => {
    const body = { email: ada.email, password: PASSWORD };
    ada.token = assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body.data.token;
  });
  const notified = () =>
    harness.db
      .collection('notifications')
      .find({ userId: toObjectId(ada.userId), event: { $exists: false } })
      .toArray();

  test('when its receiver answers 410; notifies the owners, and it can be switched on again', async () => {
    const one = await webhook();
    answering(one, 410);
    await post();
    await post();
    await run();
    await run();
    expect(await show(one)).toMatchObject({
      isActive: false,
      switchedOffAt: expect.any(String),
      switchedOffReason: 'gone',
    });
    expect((await log(one, 'status=failed')).count).toBe(2);
    const [entry, ...more] = await listAuditEntries(app, ada, 'action=webhook.switch_off');
    expect([entry, more]).toMatchObject([{ resourceId: one.id, metadata: { reason: 'gone' } }, []]);
    expect(await notified()).toMatchObject([
      { type: 'alert', title: 'A webhook was switched off' },
    ]);
    const arrived = mail.findNewest(ada.email);
    expect(arrived.subject).toBe(`A webhook was switched off: ${receiver.host}`);
    expect(arrived.text).toContain('410');
    expect(arrived.raw).not.toContain(`${receiver.host}${one.at}`);
    const on = { isActive: true };
    const { data } = assertOk(
      await app.call('PATCH', `${path}/${one.id}`, { token: ada.token, body: on }),
    ).body;
    expect(data).toMatchObject({ isActive: true, switchedOffAt: null, switchedOffReason: null });
    await remove(one);
  });

  test('after five days of nothing but failures, not sooner', { tags: ['long'] }, async () => {
    const one = await webhook();
    answering(one, 503);
    for (let day = 0; day < 5; day++) {
      await post();
      await run();
      expect((await show(one)).isActive, `day ${day}`).toBe(true);
      ahead += DAY;
    }
    await post();
    await run();
    expect(await show(one)).toMatchObject({ isActive: false, switchedOffReason: 'failing' });
    await remove(one);
  });

  test(
    'not for a failure long after another, nor after a success in between',
    { tags: ['long'] },
    async () => {
      const rare = await webhook();
      const flaky = await webhook();
      answering(rare, 503);
      answering(flaky, 503);
      await post();
      await run();
      await harness.db.collection('outbox').deleteMany({});
      ahead += 4 * DAY;
      answering(flaky, 204);
      await post();
      await run();
      answering(flaky, 503);
      ahead += 1.5 * DAY;
      await post();
      await run();
      expect([(await show(rare)).isActive, (await show(flaky)).isActive]).toEqual([true, true]);
      await remove(rare);
      await remove(flaky);
    },
  );
});
