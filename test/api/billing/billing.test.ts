// Billing over HTTP with the real SDK against a processor on the loopback (document 3, section 4.8).
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { startPaymentProcessor } from '../../setup/providers/payment-processor.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/billing';

const processor = useFixture(startPaymentProcessor, (server) => server.stop());
const harness = useHarness(() => ({
  ...processor.settings,
  DEFAULT_PLAN: 'scale',
  ASSAY_LIMIT_SANDBOX: '50',
  ASSAY_PLAN_PRICES: 'scale_monthly=49,scale_annual=490.50',
  ASSAY_BILLING_RETURN_URL: 'https://app.example.com/billing',
}));
const { app } = harness;
const ada = useOwner(harness);
const plain = useHarness({ DEFAULT_PLAN: 'custom' });
const eve = useOwner(plain, 'Eve');
const people = {} as Record<'admin' | 'reviewer' | 'member' | 'viewer', Owner>;
beforeAll(async () => {
  for (const role of ['admin', 'reviewer', 'member', 'viewer'] as const)
    people[role] = await createMember(harness, ada, role);
});
beforeEach(() => {
  processor.mood = 'well';
  processor.calls.length = 0;
});

const checkout = (planId: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/checkout`, { token, body: { planId } });
const portal = ({ token } = ada): Promise<Answer> => app.call('POST', `${path}/portal`, { token });
const setSubscription = async (change: Record<string, unknown>): Promise<void> => {
  const set = Object.entries(change).map(([name, value]) => [`subscription.${name}`, value]);
  const _id = toObjectId(ada.organizationId);
  await harness.db
    .collection('organizations')
    .updateOne({ _id }, { $set: Object.fromEntries(set) as object });
};

test('the processor that the operator names is called without leave, and no user reaches it', async () => {
  assertOk(await checkout('scale_monthly'));
  expect(processor.calls.map((call) => call.path)).toEqual(['/v1/checkout/sessions']);
  const body = { url: `${processor.url}/hook`, events: ['trace.created'] };
  const answer = await app.call('POST', '/api/v1/webhooks', { token: ada.token, body });
  expect(toOutcome(answer)).toEqual([400, 'SSRF_BLOCKED']);
});

test('before a checkout the period ends with the month; everybody reads that', async () => {
  const { data } = assertOk(await app.call('GET', path, { token: people.viewer.token })).body;
  const now = new Date();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  expect(data).toEqual({
    subscription: {
      plan: 'scale',
      status: 'active',
      currentPeriodEnd: next.toISOString(),
      cancelAtPeriodEnd: false,
      paymentCustomerId: null,
    },
    usage: { traces: 0, tracesLimit: 100_000 },
    invoices: [],
  });
});

test('the plans, with the amounts of the configuration', async () => {
  const { data } = assertOk(await app.call('GET', `${path}/plans`, { token: ada.token })).body;
  expect(data).toHaveLength(5);
  expect(data[0]).toMatchObject({ plan: 'sandbox', monthlyLimit: 50, overage: 'blocked' });
  expect(data[1]).toEqual({
    plan: 'scale',
    monthlyLimit: 100_000,
    overage: 'billed',
    overageRate: 0.003,
    description: expect.any(String),
    currency: 'EUR',
    prices: { monthly: 49, annual: 490.5 },
  });
});

test('a checkout has the plan’s price and a metered one, and names the organisation', async () => {
  const { data } = assertOk(await checkout('governance_annual', people.admin)).body;
  expect(data).toEqual({ url: expect.stringMatching(/^https:\/\/pay\.example\.com\/checkout/) });
  const [call] = processor.calls;
  expect(call?.path).toBe('/v1/checkout/sessions');
  expect(call?.headers.authorization).toMatch(/^Bearer sk_test_/);
  expect(Object.fromEntries(call?.form ?? [])).toEqual({
    mode: 'subscription',
    client_reference_id: ada.organizationId,
    customer_email: people.admin.email,
    'line_items[0][price]': 'price_governance_annual',
    'line_items[0][quantity]': '1',
    'line_items[1][price]': 'price_governance_overage',
    'metadata[organizationId]': ada.organizationId,
    'metadata[planId]': 'governance_annual',
    'subscription_data[metadata][organizationId]': ada.organizationId,
    'subscription_data[metadata][planId]': 'governance_annual',
    success_url: 'https://app.example.com/billing',
    cancel_url: 'https://app.example.com/billing',
  });
  const [entry] = await listAuditEntries(app, ada, 'action=billing.checkout');
  expect(entry).toMatchObject({
    status: 'success',
    userEmail: people.admin.email,
    metadata: { planId: 'governance_annual' },
  });
});

test('a customer who is known is not made again', async () => {
  expect(toOutcome(await portal())).toEqual([400, 'NO_PAYMENT_CUSTOMER']);
  await setSubscription({ paymentCustomerId: 'cus_1', status: 'canceled' });
  assertOk(await checkout('scale_monthly'));
  expect(processor.calls[0]?.form.get('customer')).toBe('cus_1');
  expect(processor.calls[0]?.form.has('customer_email')).toBe(false);
  const { url } = assertOk(await portal()).body.data;
  expect(url).toMatch(/^https:\/\/pay\.example\.com\/billing_portal/);
  expect(Object.fromEntries(processor.calls[1]?.form ?? [])).toEqual({
    customer: 'cus_1',
    return_url: 'https://app.example.com/billing',
  });
  expect(await listAuditEntries(app, ada, 'action=billing.portal&status=success')).toHaveLength(1);
});

test('beside a subscription no other is sold', async () => {
  await setSubscription({ paymentSubscriptionId: 'sub_1', status: 'past_due' });
  expect(toOutcome(await checkout('scale_monthly'))).toEqual([400, 'INVALID_OPERATION']);
  expect(processor.calls).toEqual([]);
  await setSubscription({ status: 'canceled' });
  assertOk(await checkout('scale_monthly'));
});

test.each(['reviewer', 'member', 'viewer'] as const)('a %s buys nothing', async (role) => {
  const who = people[role];
  expect(toOutcome(await checkout('nothing', who))).toEqual([403, 'BILLING_FORBIDDEN']);
  expect(toOutcome(await portal(who))).toEqual([403, 'BILLING_FORBIDDEN']);
});

test.each([
  ['sandbox_monthly'],
  ['scale'],
  ['custom_annual'],
  [''],
  [null],
  [7],
  [['scale_annual']],
  ['__proto__'],
])('%j is no plan on sale', async (planId) => {
  expect(toOutcome(await checkout(planId))).toEqual([400, 'INVALID_PLAN']);
});

test.each(['failing', 'endless'] as const)('a %s processor', async (mood) => {
  processor.mood = mood;
  expect(toOutcome(await checkout('scale_monthly'))).toEqual([500, 'CHECKOUT_FAILED']);
  expect(toOutcome(await portal())).toEqual([500, 'PORTAL_FAILED']);
  const failures = await listAuditEntries(app, ada, 'action=billing.checkout&status=failure');
  expect(failures[0]).toMatchObject({ metadata: { code: 'CHECKOUT_FAILED' } });
});

test('without a key everything but buying works: role, plan, then configuration', async () => {
  const call = (method: string, below: string, body?: object): Promise<Answer> =>
    plain.app.call(method, path + below, { token: eve.token, ...(body && { body }) });
  const { data } = assertOk(await call('GET', '')).body;
  expect(data).toMatchObject({
    subscription: { plan: 'custom' },
    usage: { traces: 0, tracesLimit: null },
  });
  expect(assertOk(await call('GET', '/plans')).body.data).toHaveLength(5);
  expect(toOutcome(await call('POST', '/checkout', { planId: 'x' }))).toEqual([
    400,
    'INVALID_PLAN',
  ]);
  const bought = await call('POST', '/checkout', { planId: 'scale_monthly' });
  expect(toOutcome(bought)).toEqual([500, 'CONFIG_ERROR']);
  expect(toOutcome(await call('POST', '/portal'))).toEqual([500, 'CONFIG_ERROR']);
  const member = await createMember(plain, eve, 'member');
  const body = { planId: 'scale_monthly' };
  const refused = await plain.app.call('POST', `${path}/checkout`, { token: member.token, body });
  expect(toOutcome(refused)).toEqual([403, 'BILLING_FORBIDDEN']);
});

test('the old address answers the same, and says that it ends', async () => {
  const { token } = ada;
  const before = await app.call('GET', '/api/billing', { token });
  expect(before.body).toEqual((await app.call('GET', path, { token })).body);
  expect(before.headers.get('deprecation')).toBe('true');
  expect(before.headers.get('sunset')).toBe('2027-04-12');
});
