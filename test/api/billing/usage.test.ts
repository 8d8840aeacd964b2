// Usage over HTTP (document 3, section 4.9): exact counters along months, the gate of the sandbox, the deprecated address.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const HOUR = 3_600_000;
/** The clock of the instance, which the tests move. */
let now = new Date('2026-10-30T22:00:00Z');
const clock = { now: (): Date => now };

const harness = useHarness({ ASSAY_LIMIT_SANDBOX: '6', DEFAULT_PLAN: 'sandbox' }, { clock });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const post = (body = buildDecision('support-bot')): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key, body });
async function postMany(count: number): Promise<void> {
  for (let made = 0; made < count; made++) assertOk(await post());
}
/** Sessions end long before the month does. */
async function token(): Promise<string> {
  const body = { email: ada.email, password: 'Correct-Horse-9' };
  return assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body.data.token;
}
const current = async (): Promise<Answer['body']> =>
  assertOk(await app.call('GET', '/api/v1/usage/current', { token: await token() })).body.data;
const history = async (): Promise<{ label: string; count: number }[]> =>
  assertOk(await app.call('GET', '/api/v1/usage/history', { token: await token() })).body.data;

test('nothing used yet', async () => {
  expect(await current()).toEqual({
    plan: 'sandbox',
    limit: 6,
    unlimited: false,
    spans: [],
    thisMonth: 0,
    percentUsed: 0,
    remaining: 6,
    resetDate: '2026-11-01T00:00:00.000Z',
    today: 0,
    dailyAverage: 0,
    projectedMonthly: 0,
    lastMonth: 0,
    monthOverMonthChange: 0,
    totalAllTime: 0,
    status: 'ok',
  });
  const items = await history();
  expect(items).toHaveLength(12);
  expect([items[0], items[11]]).toEqual([
    { label: 'Nov 2025', count: 0 },
    { label: 'Oct 2026', count: 0 },
  ]);
});

test('decisions count when they are sealed, whatever becomes of them; repetitions, deletions and amendments do not', async () => {
  const body = buildDecision('support-bot');
  assertOk(await post(body));
  assertOk(await post(body));
  await postMany(1);
  const { data } = assertOk(await app.call('GET', '/api/v1/traces', { token: ada.token })).body;
  const ids = [data[0]._id];
  assertOk(
    await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body: { ids } }),
  );
  const status = { ids: [data[1]._id], status: 'escalated' };
  assertOk(
    await app.call('POST', '/api/v1/traces/bulk-status', { token: ada.token, body: status }),
  );
  now = new Date('2026-10-31T23:59:59.999Z');
  await postMany(3);
  expect(await current()).toMatchObject({
    thisMonth: 5,
    today: 3,
    totalAllTime: 5,
    remaining: 1,
    percentUsed: 500 / 6,
    status: 'ok',
  });
});

test('the sandbox refuses decisions past its limit, and accepts them again next month', async () => {
  await postMany(1);
  expect(toOutcome(await post())).toEqual([429, 'USAGE_LIMIT_EXCEEDED']);
  expect(await current()).toMatchObject({ thisMonth: 6, remaining: 0, status: 'exceeded' });
  now = new Date('2026-11-01T00:00:00.000Z');
  expect(await current()).toMatchObject({
    thisMonth: 0,
    today: 0,
    lastMonth: 6,
    monthOverMonthChange: -100,
    totalAllTime: 6,
    resetDate: '2026-12-01T00:00:00.000Z',
  });
  await postMany(3);
  expect(await current()).toMatchObject({
    thisMonth: 3,
    today: 3,
    lastMonth: 6,
    monthOverMonthChange: -50,
    totalAllTime: 9,
    dailyAverage: 3,
    projectedMonthly: 90,
  });
  now = new Date(now.getTime() + 24 * HOUR);
  expect(await current()).toMatchObject({ thisMonth: 3, today: 0, dailyAverage: 2 });
});

test('the history knows months without decisions, and forgets after twelve', async () => {
  now = new Date('2027-02-15T00:00:00.000Z');
  await postMany(2);
  const items = await history();
  expect(items.filter(({ count }) => count > 0)).toEqual([
    { label: 'Oct 2026', count: 6 },
    { label: 'Nov 2026', count: 3 },
    { label: 'Feb 2027', count: 2 },
  ]);
  now = new Date('2027-11-15T00:00:00.000Z');
  expect((await history()).map(({ label, count }) => [label, count]).slice(0, 3)).toEqual([
    ['Dec 2026', 0],
    ['Jan 2027', 0],
    ['Feb 2027', 2],
  ]);
  expect(await current()).toMatchObject({ thisMonth: 0, lastMonth: 0, totalAllTime: 11 });
});

test('the plan decides the limit; another organisation has counters of its own', async () => {
  const _id = toObjectId(ada.organizationId);
  const organizations = harness.db.collection('organizations');
  await organizations.updateOne({ _id }, { $set: { 'subscription.plan': 'custom' } });
  expect(await current()).toMatchObject({ plan: 'custom', limit: null, unlimited: true });
  await organizations.updateOne({ _id }, { $set: { 'subscription.plan': 'scale' } });
  expect(await current()).toMatchObject({ plan: 'scale', limit: 100_000, remaining: 100_000 });
  now = new Date('2026-10-30T23:00:00Z');
  const hers = assertOk(await app.call('GET', '/api/v1/usage/current', { token: eve.token })).body
    .data;
  expect(hers).toMatchObject({ thisMonth: 0, totalAllTime: 0 });
});

test('the old address answers the same, and says that it ends', async () => {
  const before = await app.call('GET', '/api/usage/current', { token: eve.token });
  const after = await app.call('GET', '/api/v1/usage/current', { token: eve.token });
  expect(before.body).toEqual(after.body);
  expect(before.headers.get('deprecation')).toBe('true');
  expect(before.headers.get('sunset')).toBe('2027-04-12');
});
