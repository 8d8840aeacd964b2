// What a deleted organisation had subscribed to is cancelled at the payment processor.
import { beforeEach, expect, test } from 'vitest';
import { useFixture, useOwnHarness } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, type Owner } from '../../setup/personas.ts';
import { startPaymentProcessor } from '../../setup/providers/payment-processor.ts';

const processor = useFixture(startPaymentProcessor, (server) => server.stop());
const harness = useOwnHarness(() => processor.settings);
const { app } = harness;
const keyless = useOwnHarness();

beforeEach(() => {
  processor.mood = 'well';
  processor.calls.length = 0;
});

async function subscribed(status: string, { app, db } = harness): Promise<Owner> {
  const owner = await createOwner(app, 'Payer');
  const paid = { 'subscription.paymentSubscriptionId': 'sub_1', 'subscription.status': status };
  const _id = toObjectId(owner.organizationId);
  await db.collection('organizations').updateOne({ _id }, { $set: paid });
  return owner;
}
const remove = async ({ token }: Owner, on = app): Promise<void> => {
  assertOk(await on.call('DELETE', '/api/v1/organization', { token, body: { name: 'Payer Ltd' } }));
};
const rows = () => harness.db.collection('outbox').find({ topic: 'cancellation' }).toArray();
const due = () =>
  harness.db.collection('outbox').updateMany({}, { $set: { dueAt: new Date(0), attempts: 0 } });

test(
  'with the deletion, tried until it succeeds, also when everything else is erased',
  { tags: ['long'] },
  async () => {
    const owner = await subscribed('past_due');
    processor.mood = 'failing';
    await remove(owner);
    await app.instance.runJobsOnce();
    expect((await rows()).map(({ status }) => status)).toEqual(['pending']);

    processor.mood = 'well';
    await due();
    await app.instance.runJobsOnce();
    const { method, path } = processor.calls.at(-1)!;
    expect([method, path]).toEqual(['DELETE', '/v1/subscriptions/sub_1']);
    expect((await rows()).map(({ status }) => status)).toEqual(['done']);
  },
);

test('one that the processor knows no more is cancelled enough', { tags: ['long'] }, async () => {
  await harness.db.collection('outbox').deleteMany({});
  processor.mood = 'forgetful';
  await remove(await subscribed('active'));
  await app.instance.runJobsOnce();
  expect((await rows()).map(({ status }) => status)).toEqual(['done']);
});

test('one that has ended is not cancelled again', { tags: ['long'] }, async () => {
  await remove(await subscribed('canceled'));
  await app.instance.runJobsOnce();
  expect(processor.calls).toEqual([]);
});

test('a checkout that completes after the deletion is cancelled as well', async () => {
  const owner = await subscribed('canceled');
  await remove(owner);
  const object = {
    mode: 'subscription',
    client_reference_id: owner.organizationId,
    customer: 'cus_late',
    subscription: 'sub_late',
  };
  const type = 'checkout.session.completed';
  const created = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ id: 'evt_late', object: 'event', type, created, data: { object } });
  const headers = processor.signed(body, new Date());
  assertOk(await app.call('POST', '/api/payment/webhook', { raw: body, headers }));
  await app.instance.runJobsOnce();
  expect(processor.calls.map(({ path }) => path)).toEqual(['/v1/subscriptions/sub_late']);
});

test('an installation without a key queues nothing that it cannot do', async () => {
  const owner = await subscribed('active', keyless);
  await remove(owner, keyless.app);
  const queued = await keyless.db.collection('outbox').countDocuments({ topic: 'cancellation' });
  expect(queued).toBe(0);
});
