// Near and beyond the limit (document 3, 4.8 and 4.9): managers are notified once, overage is reported to the processor.
// @module-tag long
import { expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId, type Harness } from '../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { startPaymentProcessor } from '../../setup/providers/payment-processor.ts';
import { startApp, type TestApp } from '../../setup/start-app.ts';

const processor = useFixture(startPaymentProcessor, (server) => server.stop());
let now = new Date('2026-10-20T10:00:00Z');
const clock = { now: (): Date => now };
const sandbox = useHarness({ DEFAULT_PLAN: 'sandbox', ASSAY_LIMIT_SANDBOX: '10' }, { clock });
const ada = useOwner(sandbox);
const paying = useHarness(() => ({ ...processor.settings, DEFAULT_PLAN: 'scale' }));

async function post(app: TestApp, who: Owner, count: number): Promise<void> {
  const { key } = await createWorkspaceKey(app, who);
  for (let made = 0; made < count; made++)
    assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('support-bot') }));
  await app.instance.runJobsOnce();
}
const noticesOf = ({ db }: Harness, who: Owner) =>
  db
    .collection('notifications')
    .find({ organizationId: toObjectId(who.organizationId), type: 'system' })
    .toArray();

test('notifies owners and admins once a month that 90 percent are used, unless they opted out', async () => {
  const { app } = sandbox;
  const admin = await createMember(sandbox, ada, 'admin');
  const quiet = await createMember(sandbox, ada, 'admin');
  await createMember(sandbox, ada, 'member');
  const body = { notificationOptOuts: { inApp: ['system'] } };
  assertOk(await app.call('PATCH', '/api/v1/auth/me/preferences', { token: quiet.token, body }));
  await post(app, ada, 8);
  expect(await noticesOf(sandbox, ada)).toEqual([]);
  await post(app, ada, 1);
  const sent = await noticesOf(sandbox, ada);
  expect(sent.map(({ userId }) => String(userId)).sort()).toEqual(
    [ada.userId, admin.userId].sort(),
  );
  const { data } = assertOk(
    await app.call('GET', '/api/v1/notifications', { token: ada.token }),
  ).body;
  expect(data[0]).toMatchObject({
    type: 'system',
    title: '9 decisions this month: 90 percent of the plan',
    body: 'The plan includes 10 decisions in 2026-10. Decisions beyond it are refused.',
    link: '/console/usage',
    isRead: false,
    sentBy: null,
  });
  await post(app, ada, 1);
  expect(await noticesOf(sandbox, ada)).toHaveLength(2);
});

test('notifies again for another limit and another month', { tags: ['long'] }, async () => {
  const { app, db } = sandbox;
  const eve = await createOwner(app, 'Eve');
  await post(app, eve, 9);
  expect(await noticesOf(sandbox, eve)).toHaveLength(1);
  now = new Date('2026-11-02T10:00:00Z');
  const body = { email: eve.email, password: 'Correct-Horse-9' };
  const { token } = assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body.data;
  await post(app, { ...eve, token }, 10);
  expect(await noticesOf(sandbox, eve)).toHaveLength(2);
  const notices = await db
    .collection('limit_notices')
    .find({ organizationId: toObjectId(eve.organizationId) })
    .toArray();
  expect(notices.map(({ month, threshold }) => [month, threshold])).toEqual([
    ['2026-10', 9],
    ['2026-11', 9],
  ]);
});

/** Starts an instance on a chain that has sealed a given number of decisions this month. */
async function withCount(who: Owner, count: number): Promise<TestApp> {
  const { db, mongoUri } = paying;
  const organizationId = toObjectId(who.organizationId);
  const [newest] = await db
    .collection('ledger')
    .find({ organizationId })
    .sort({ sequence: -1 })
    .limit(1)
    .toArray();
  const change = { $set: { 'usage.count': count } };
  await db.collection('ledger').updateOne({ _id: newest?._id as never }, change);
  return startApp({ ...processor.settings, DEFAULT_PLAN: 'scale' }, { mongoUri });
}

const meterCalls = (): Record<string, string>[] =>
  processor.calls
    .filter(({ path }) => path === '/v1/billing/meter_events')
    .map(({ form }) => Object.fromEntries(form));

async function beCustomer({ organizationId }: Owner, customer: string | null): Promise<void> {
  const change = { $set: { 'subscription.paymentCustomerId': customer } };
  const _id = toObjectId(organizationId);
  await paying.db.collection('organizations').updateOne({ _id }, change);
}

/** Rows are gathered for a minute; the time of the instance is that of the machine. The other instance may be the one that delivers. */
async function deliverNow(app: TestApp, calls: number): Promise<void> {
  const due = { $set: { dueAt: new Date(0) } };
  await paying.db.collection('outbox').updateMany({ topic: 'overage', status: 'pending' }, due);
  await app.instance.outboxWorkers.receivers.deliverDue();
  await expect.poll(() => meterCalls().length).toBe(calls);
  const untold = { topic: 'overage', status: 'pending', lastError: null };
  await expect.poll(() => paying.db.collection('outbox').countDocuments(untold)).toBe(0);
}

test('what a paid plan does not include is gathered and reported once, with one identifier', async () => {
  const bob = await createOwner(paying.app, 'Bob');
  await post(paying.app, bob, 1);
  await beCustomer(bob, 'cus_bob');
  const app = await withCount(bob, 99_998);
  await post(app, bob, 2);
  expect(await noticesOf(paying, bob)).toHaveLength(1);
  expect(meterCalls()).toEqual([]);
  expect(await paying.db.collection('outbox').countDocuments({ topic: 'overage' })).toBe(0);
  await post(app, bob, 2);
  await post(app, bob, 1);
  const [row, ...others] = await paying.db
    .collection('outbox')
    .find({ topic: 'overage' })
    .toArray();
  expect(others).toEqual([]);
  expect(row).toMatchObject({ status: 'pending', payload: { customerId: 'cus_bob', count: 3 } });
  processor.mood = 'failing';
  await deliverNow(app, 1);
  processor.mood = 'well';
  await deliverNow(app, 2);
  const [first, second, ...more] = meterCalls();
  expect(more).toEqual([]);
  expect(second).toEqual(first);
  expect(second).toEqual({
    event_name: 'assay_overage',
    identifier: String(row?._id),
    timestamp: expect.stringMatching(/^\d{10}$/),
    'payload[stripe_customer_id]': 'cus_bob',
    'payload[value]': '3',
  });
  await post(app, bob, 1);
  await deliverNow(app, 3);
  expect(meterCalls().map((call) => call['payload[value]'])).toEqual(['3', '3', '1']);
  await app.stop();
});

test(
  'bills no organisation without a customer, nor without a payment key',
  { tags: ['long'] },
  async () => {
    processor.calls.length = 0;
    const cyd = await createOwner(paying.app, 'Cyd');
    await post(paying.app, cyd, 1);
    const app = await withCount(cyd, 100_000);
    await post(app, cyd, 1);
    await app.stop();
    await beCustomer(cyd, 'cus_cyd');
    const keyless = await startApp({ DEFAULT_PLAN: 'scale' }, { mongoUri: paying.mongoUri });
    await post(keyless, cyd, 1);
    await keyless.stop();
    const organizationId = toObjectId(cyd.organizationId);
    expect(
      await paying.db.collection('outbox').countDocuments({ organizationId, topic: 'overage' }),
    ).toBe(0);
    expect(meterCalls()).toEqual([]);
  },
);
