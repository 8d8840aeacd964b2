// What the payment processor posts (document 3, section 6): signed, timely, once, and in any order.
import { expect, test } from 'vitest';
import { useFixture, useHarness, useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createOwner, assertOk, type Owner } from '../../setup/personas.ts';
import { startPaymentProcessor, WEBHOOK_SECRET } from '../../setup/providers/payment-processor.ts';
import { toOutcome, type Answer, type TestApp } from '../../setup/start-app.ts';

const path = '/api/payment/webhook';
const processor = useFixture(startPaymentProcessor, (server) => server.stop());
// The secret alone is enough.
const harness = useHarness({
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_PRICES: 'governance_monthly=price_g',
  DEFAULT_PLAN: 'sandbox',
});
const { app } = harness;
const ada = useOwner(harness);
const bare = useOwnHarness();

let made = 0;
const start = Math.floor(Date.now() / 1000) - 1000;

/** An event of the processor; `created` counts seconds. */
function eventOf(type: string, object: object, created = 0): Record<string, unknown> {
  made += 1;
  return { id: `evt_${made}`, object: 'event', type, created: start + created, data: { object } };
}
const post = (
  event: object,
  { at = new Date(), headers }: { at?: Date; headers?: Record<string, string> } = {},
): Promise<Answer> => postTo(app, event, headers ?? processor.signed(JSON.stringify(event), at));
const postTo = (to: TestApp, event: object, headers: Record<string, string>): Promise<Answer> =>
  to.call('POST', path, { raw: JSON.stringify(event), headers });

async function tell(...events: object[]): Promise<void> {
  for (const event of events)
    expect(assertOk(await post(event)).body.data).toEqual({ received: true });
}
const session = ({ organizationId }: Owner, name: string): Record<string, unknown> => ({
  mode: 'subscription',
  client_reference_id: organizationId,
  customer: `cus_${name}`,
  subscription: `sub_${name}`,
});
const subscription = (name: string, more: object = {}): Record<string, unknown> => ({
  id: `sub_${name}`,
  customer: `cus_${name}`,
  status: 'active',
  created: start,
  cancel_at_period_end: false,
  items: {
    data: [
      {
        current_period_end: start + 2_592_000,
        price: { id: 'price_x', lookup_key: 'scale_monthly' },
      },
    ],
  },
  ...more,
});
const priced = (lookup_key: string | null, id = 'price_x'): object => ({
  items: { data: [{ price: { id, lookup_key } }] },
});
const checkedOut = (who: Owner, name: string, created = 0): object =>
  eventOf('checkout.session.completed', session(who, name), created);
const createEvent = (kind: string, object: object, created: number): object =>
  eventOf(`customer.subscription.${kind}`, object, created);

async function billingOf({ token }: Owner): Promise<Answer['body']> {
  return assertOk(await app.call('GET', '/api/v1/billing', { token })).body.data.subscription;
}

test('a checkout stamps the customer; the subscription brings plan, status and period', async () => {
  await tell(checkedOut(ada, 'ada'));
  expect(await billingOf(ada)).toMatchObject({ plan: 'sandbox', paymentCustomerId: 'cus_ada' });
  await tell(createEvent('created', subscription('ada'), 1));
  expect(await billingOf(ada)).toEqual({
    plan: 'scale',
    status: 'active',
    currentPeriodEnd: new Date((start + 2_592_000) * 1000).toISOString(),
    cancelAtPeriodEnd: false,
    paymentCustomerId: 'cus_ada',
  });
  // The plan counts at once.
  const audited = assertOk(await app.call('GET', '/api/v1/audit?resource=subscription', ada)).body
    .data;
  expect(audited.entries[0]).toMatchObject({
    action: 'billing.subscription.updated',
    userId: null,
    status: 'success',
    metadata: {
      actor: 'payment-processor',
      from: { plan: 'sandbox', status: 'active' },
      to: { plan: 'scale', status: 'active' },
    },
  });
});

test('an upgrade by price id, a cancellation, and the end; older events change nothing', async () => {
  const upgraded = createEvent(
    'updated',
    subscription('ada', priced('scale_monthly', 'price_g')),
    10,
  );
  const cancelled = createEvent(
    'updated',
    subscription('ada', { ...priced(null, 'price_g'), cancel_at_period_end: true }),
    20,
  );
  await tell(cancelled, upgraded);
  expect(await billingOf(ada)).toMatchObject({ plan: 'governance', cancelAtPeriodEnd: true });
  await tell(createEvent('deleted', subscription('ada', { status: 'canceled' }), 30));
  expect(await billingOf(ada)).toMatchObject({
    plan: 'sandbox',
    status: 'canceled',
    cancelAtPeriodEnd: false,
  });
  await tell(
    createEvent('updated', subscription('ada'), 25),
    createEvent('updated', subscription('ada'), 40),
  );
  expect(await billingOf(ada)).toMatchObject({ plan: 'sandbox', status: 'canceled' });
});

test('an event counts once, however often it comes', async () => {
  const bob = await createOwner(app, 'Bob');
  const event = createEvent('updated', subscription('bob'), 5);
  await tell(checkedOut(bob, 'bob'), event);
  const again = { ...createEvent('updated', subscription('bob', priced('enterprise_annual')), 6) };
  await tell({ ...again, id: (event as { id: string }).id });
  expect(await billingOf(bob)).toMatchObject({ plan: 'scale' });
  const both = await Promise.all(Array.from({ length: 4 }, () => post(again)));
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await billingOf(bob)).toMatchObject({ plan: 'enterprise' });
  const { entries } = assertOk(await app.call('GET', '/api/v1/audit?resource=subscription', bob))
    .body.data;
  expect(entries).toHaveLength(2);
});

test('a subscription event before its checkout waits for it', async () => {
  const cyd = await createOwner(app, 'Cyd');
  await tell(
    createEvent('updated', subscription('cyd', priced('governance_annual')), 3),
    createEvent('created', subscription('cyd', { status: 'incomplete' }), 1),
  );
  expect(await billingOf(cyd)).toMatchObject({ plan: 'sandbox', paymentCustomerId: null });
  await tell(checkedOut(cyd, 'cyd', 2));
  expect(await billingOf(cyd)).toMatchObject({ plan: 'governance', status: 'active' });
});

test('checkout and subscription at the same moment', { tags: ['long'] }, async () => {
  for (let round = 0; round < 6; round++) {
    const who = await createOwner(app, 'Dee');
    const name = `dee${round}`;
    const answers = await Promise.all([
      post(checkedOut(who, name)),
      post(createEvent('created', subscription(name), 1)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await billingOf(who)).toMatchObject({ plan: 'scale' });
  }
});

test('a subscription that our checkout made names its organisation itself', async () => {
  const fay = await createOwner(app, 'Fay');
  const metadata = { organizationId: fay.organizationId };
  await tell(createEvent('created', subscription('fay', { metadata }), 1));
  expect(await billingOf(fay)).toMatchObject({ plan: 'scale', paymentCustomerId: 'cus_fay' });
  await tell(checkedOut(fay, 'fay', 0));
  expect(await billingOf(fay)).toMatchObject({ plan: 'scale', paymentCustomerId: 'cus_fay' });
});

test('a checkout with another customer does not take over a subscription', async () => {
  const gus = await createOwner(app, 'Gus');
  await tell(checkedOut(gus, 'gus'), createEvent('created', subscription('gus'), 1));
  await tell(checkedOut(gus, 'mallory', 2));
  expect(await billingOf(gus)).toMatchObject({ plan: 'scale', paymentCustomerId: 'cus_gus' });
  await tell(createEvent('deleted', subscription('mallory'), 3));
  expect(await billingOf(gus)).toMatchObject({ plan: 'scale', status: 'active' });
});

test('reads the period at the top level, as earlier versions of the processor send it', async () => {
  const hal = await createOwner(app, 'Hal');
  const object = subscription('hal', { ...priced('scale'), current_period_end: start + 60 });
  await tell(
    checkedOut(hal, 'hal'),
    createEvent('updated', { ...object, cancel_at: start + 60 }, 1),
  );
  expect(await billingOf(hal)).toMatchObject({
    currentPeriodEnd: new Date((start + 60) * 1000).toISOString(),
    cancelAtPeriodEnd: true,
  });
});

test.each([
  ['an unknown type', 'invoice.paid', { amount: 1 }],
  ['a checkout that is no subscription', 'checkout.session.completed', { mode: 'payment' }],
  [
    'a checkout without an organisation',
    'checkout.session.completed',
    { client_reference_id: 'x', customer: 'c' },
  ],
  [
    'a checkout of an organisation that is gone',
    'checkout.session.completed',
    { client_reference_id: 'a'.repeat(24), customer: 'c' },
  ],
])('%s is received and ignored', async (_, type, object) => {
  await tell(eventOf(type, object));
});

test.each([
  ['a subscription without a customer', { id: 'sub_1', status: 'active' }],
  ['a subscription whose times are no times', subscription('ada', { created: 9e15 })],
  [
    'a subscription with too many prices',
    subscription('ada', { items: { data: Array(101).fill({ price: { id: 'x' } }) } }),
  ],
])('%s is not understood, and may come again', async (_, object) => {
  const event = createEvent('updated', object, 1);
  expect(toOutcome(await post(event))).toEqual([400, 'VALIDATION_ERROR']);
  const { id } = event as { id: string };
  expect(await harness.db.collection('payment_events').findOne({ _id: id as never })).toBeNull();
});

const now = (): Date => new Date();
const shifted = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

test.each([
  ['no signature', () => ({})],
  ['another secret', (body: string) => processor.signed(body, now(), 'whsec_other')],
  ['another body', (body: string) => processor.signed(`${body} `, now())],
  ['a signature of six minutes ago', (body: string) => processor.signed(body, shifted(-360))],
  ['a signature of the future', (body: string) => processor.signed(body, shifted(360))],
  [
    'a signature without a time',
    (body: string) => {
      const { 'stripe-signature': header = '' } = processor.signed(body, now());
      return { 'stripe-signature': header.replace(/^t=\d+,/, '') };
    },
  ],
])('%s is refused', async (_, headersOf) => {
  const event = createEvent('updated', subscription('ada', priced('enterprise')), 99);
  const answer = await post(event, { headers: headersOf(JSON.stringify(event)) });
  expect(toOutcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
});

test('within five minutes either way it is taken', async () => {
  for (const seconds of [-290, 290])
    assertOk(await post(eventOf('ping', {}), { at: shifted(seconds) }));
});

test('without a secret nothing is taken', async () => {
  const event = eventOf('ping', {});
  const answer = await postTo(bare.app, event, processor.signed(JSON.stringify(event), now()));
  expect(toOutcome(answer)).toEqual([500, 'CONFIG_ERROR']);
});

test('an organisation of an earlier version, which has no members for this', async () => {
  const ivy = await createOwner(app, 'Ivy');
  const names = ['paymentSubscriptionId', 'begunAt', 'toldAt', 'toldBy'];
  const $unset = Object.fromEntries(names.map((name) => [`subscription.${name}`, 1]));
  const _id = toObjectId(ivy.organizationId);
  await harness.db.collection('organizations').updateOne({ _id }, { $unset: $unset as object });
  await tell(checkedOut(ivy, 'ivy'), createEvent('created', subscription('ivy'), 1));
  expect(await billingOf(ivy)).toMatchObject({ plan: 'scale' });
});
