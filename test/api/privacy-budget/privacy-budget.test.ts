// The privacy budget over HTTP (document 3, section 4.5): created, capped, spent by noised queries, exhausted, reset.
import { beforeAll, describe, expect, test } from 'vitest';
import { consumeBudget } from '../../../src/governance/privacy-budget/privacy-budget.service.ts';
import type { Context } from '../../../src/platform/context.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import {
  createAgent,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const path = '/api/v1/privacy-budget';
const DAY = 86_400_000;

const harness = useHarness({
  ASSAY_LIMIT_HEAVY: '10000',
  ASSAY_LIMIT_USER: '100000',
  ASSAY_LIMIT_IP: '100000',
});
const { app } = harness;
const ada = useOwner(harness);
const bob = useOwner(harness, 'Bob');

const get = async ({ token } = ada) => assertOk(await app.call('GET', path, { token })).body.data;
const caps = (body: object, { token } = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/caps`, { token, body });
const query = (more: object = {}, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/query`, {
    token,
    body: { metric: 'count', epsilon: 1, purpose: 'weekly-report', ...more },
  });
async function stored(change: object, { organizationId } = ada): Promise<void> {
  await harness.db
    .collection('privacy_budgets')
    .updateOne({ organizationId: toObjectId(organizationId) }, { $set: change });
}
/** A budget without spends, its caps as given. */
async function fresh(body: object, owner: Owner = ada): Promise<void> {
  await get(owner);
  await stored({ epsilonSpent: 0, deltaSpent: 0, spendByPurpose: {}, spendByDay: {} }, owner);
  assertOk(
    await caps(Object.assign({ epsilonCap: 10, deltaCap: 1e-4, paused: false }, body), owner),
  );
}

test('the first call makes the default budget, once', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => get()));
  const [first] = all;
  expect(first).toMatchObject({
    organizationId: ada.organizationId,
    epsilonCap: 10,
    epsilonSpent: 0,
    deltaCap: 1e-4,
    deltaSpent: 0,
    windowDurationMs: 2_592_000_000,
    spendByPurpose: {},
    status: 'active',
  });
  expect(Date.parse(first.windowResetsAt) - Date.parse(first.windowStartedAt)).toBe(30 * DAY);
  expect(new Set(all.map(({ _id }) => _id)).size).toBe(1);
});

test('caps are changed by managers, and an entry says so', async () => {
  const { windowStartedAt } = await get();
  const changed = assertOk(await caps({ epsilonCap: 2.5, deltaCap: 1e-3, windowDurationMs: DAY }))
    .body.data;
  expect(changed).toMatchObject({
    epsilonCap: 2.5,
    deltaCap: 1e-3,
    windowDurationMs: DAY,
    windowStartedAt,
  });
  expect(Date.parse(changed.windowResetsAt) - Date.parse(windowStartedAt)).toBe(DAY);
  const [entry] = await listAuditEntries(app, ada, 'action=compliance.privacy-budget.updated');
  expect(entry).toMatchObject({ status: 'success', metadata: { epsilonCap: 2.5, deltaCap: 1e-3 } });
  expect(assertOk(await caps({})).body.data).toMatchObject({ epsilonCap: 2.5 });
  const member = await createMember(harness, ada, 'member');
  expect(toOutcome(await caps({ epsilonCap: 3 }, member))).toEqual([403, 'FORBIDDEN']);
});

test.each([
  { epsilonCap: 0 },
  { epsilonCap: -1 },
  { epsilonCap: '3' },
  { epsilonCap: 1e9 },
  { deltaCap: 0 },
  { deltaCap: 2 },
  { windowDurationMs: 0 },
  { windowDurationMs: 1.5 },
  { windowDurationMs: 1e15 },
  { epsilonSpent: 0 },
])('caps %o are refused', async (body) => {
  expect(toOutcome(await caps(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('a cap below what is spent is refused, at what is spent it is exhausted, raised it is active again', async () => {
  await fresh({ epsilonCap: 3 });
  assertOk(await query({ epsilon: 0.3 }));
  assertOk(await query({ epsilon: 0.6 }));
  expect(toOutcome(await caps({ epsilonCap: 0.899999999 }))).toEqual([400, 'VALIDATION_ERROR']);
  expect(assertOk(await caps({ epsilonCap: 0.9 })).body.data.status).toBe('exhausted');
  expect(toOutcome(await query({ epsilon: 0.001 }))).toEqual([429, 'PRIVACY_BUDGET_EXHAUSTED']);
  expect(assertOk(await caps({ epsilonCap: 1 })).body.data.status).toBe('active');
});

test('spends are listed by purpose, and sums are exact', async () => {
  await fresh({ epsilonCap: 1, deltaCap: 1e-3 });
  for (let i = 0; i < 3; i++)
    assertOk(await query({ epsilon: 0.1, delta: 1e-5, purpose: 'federated-round:1' }));
  const { budget } = assertOk(await query({ epsilon: 0.7, mechanism: 'gaussian', delta: 1e-6 }))
    .body.data;
  expect(budget).toMatchObject({
    epsilonSpent: 1,
    deltaSpent: 3.1e-5,
    spendByPurpose: { 'federated-round:1': 0.3, 'weekly-report': 0.7 },
    status: 'exhausted',
  });
  // Days as sums of what was spent on each: midnight may pass between two spends.
  const sum = budget.spendByDay.reduce(
    (total: number, day: { epsilon: number }) => total + day.epsilon,
    0,
  );
  expect(sum).toBeCloseTo(1, 9);
  expect(budget.spendByDay.length).toBeLessThanOrEqual(2);
  for (const { date } of budget.spendByDay) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(await get()).toMatchObject({ epsilonSpent: 1, status: 'exhausted' });
  const refused = await query({ epsilon: 0.001 });
  expect(refused.body).toMatchObject({
    code: 'PRIVACY_BUDGET_EXHAUSTED',
    data: { status: 'exhausted', epsilonLeft: 0 },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('days of the window are in order; a window from before they were counted has none', async () => {
  await fresh({ epsilonCap: 9 });
  const nano = 1_000_000_000;
  await stored({ spendByDay: { '2026-01-02': nano, '2025-12-31': 2 * nano } });
  expect((await get()).spendByDay).toEqual([
    { date: '2025-12-31', epsilon: 2 },
    { date: '2026-01-02', epsilon: 1 },
  ]);
  const budgets = harness.db.collection('privacy_budgets');
  const where = { organizationId: toObjectId(ada.organizationId) };
  await budgets.updateOne(where, { $unset: { spendByDay: 1 } });
  expect((await get()).spendByDay).toEqual([]);
  const { budget } = assertOk(await query({ epsilon: 0.5 })).body.data;
  expect(budget.spendByDay).toEqual([{ date: expect.any(String), epsilon: 0.5 }]);
});

test('a delta that is reached exhausts as well; what does not fit is refused and spends nothing', async () => {
  await fresh({ deltaCap: 1e-5 });
  expect(toOutcome(await query({ mechanism: 'gaussian', delta: 2e-5 }))).toEqual([
    429,
    'PRIVACY_BUDGET_EXHAUSTED',
  ]);
  expect(await get()).toMatchObject({ epsilonSpent: 0, deltaSpent: 0, status: 'active' });
  assertOk(await query({ mechanism: 'gaussian', delta: 1e-5 }));
  expect((await get()).status).toBe('exhausted');
  expect((await query()).status).toBe(429);
});

test('a paused budget refuses like an exhausted one, until it is resumed', async () => {
  await fresh({ paused: true });
  expect((await get()).status).toBe('paused');
  expect((await query()).body).toMatchObject({
    code: 'PRIVACY_BUDGET_EXHAUSTED',
    data: { status: 'paused' },
  });
  assertOk(await caps({ paused: false }));
  expect((await query()).status).toBe(200);
});

test('the first read after the window begins a new one, once for concurrent readers', async () => {
  await fresh({ epsilonCap: 1 });
  assertOk(await query());
  const ended = new Date(Date.now() - 1000);
  await stored({ windowResetsAt: ended });
  const [first, ...others] = await Promise.all(Array.from({ length: 6 }, () => get()));
  expect(first).toMatchObject({
    epsilonSpent: 0,
    deltaSpent: 0,
    spendByPurpose: {},
    spendByDay: [],
    status: 'active',
  });
  expect(Date.parse(first.windowStartedAt)).toBeGreaterThan(ended.getTime());
  expect(others.every(({ windowStartedAt }) => windowStartedAt === first.windowStartedAt)).toBe(
    true,
  );
  await stored({ windowResetsAt: ended });
  expect((await query()).status).toBe(200);
});

test('a thousand spends at a time pass no cap', { tags: ['long'] }, async () => {
  await fresh({ epsilonCap: 2 }, bob);
  const tenant = { organizationId: bob.organizationId } as Context['tenant'];
  const ctx = { platform: app.instance.platform, tenant };
  const cost = { epsilon: 7_000_000, delta: 0 };
  const spends = Array.from({ length: 1000 }, (_, i) => consumeBudget(ctx, `p${i % 3}`, cost));
  const settled = await Promise.allSettled(spends);
  const granted = settled.filter(({ status }) => status === 'fulfilled').length;
  expect(granted).toBe(285);
  const { epsilonSpent, spendByPurpose } = await get(bob);
  expect(epsilonSpent).toBe(1.995);
  const sum = (Object.values(spendByPurpose) as number[]).reduce((a, b) => a + b, 0);
  expect(sum).toBeCloseTo(1.995, 9);
});

test('a window has a bounded number of purposes', async () => {
  await fresh({}, bob);
  await stored(
    { spendByPurpose: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, 1])) },
    bob,
  );
  expect((await query({ purpose: 'one-more', epsilon: 0.1 }, bob)).status).toBe(429);
  expect((await query({ purpose: 'p7', epsilon: 0.1 }, bob)).status).toBe(200);
});

describe('noised queries', () => {
  let agentId: string;
  beforeAll(async () => {
    await fresh({ epsilonCap: 10_000, deltaCap: 0.9 });
    const { key } = await createWorkspaceKey(app, ada);
    ({ id: agentId } = await createAgent(app, ada, 'Claims'));
    for (let i = 0; i < 12; i++)
      assertOk(
        await app.call('POST', '/api/v1/traces', {
          key,
          body: buildDecision(i < 8 ? agentId : 'free text'),
        }),
      );
  });

  test('with a large epsilon, counts are what the list says, for every status and agent', async () => {
    const byStatus = assertOk(await query({ groupBy: 'status', epsilon: 100 })).body.data.groups;
    expect(byStatus.map(({ group }: { group: string }) => group)).toEqual([
      'success',
      'approved',
      'flagged',
      'escalated',
      'pending',
      'blocked',
    ]);
    const { data } = assertOk(
      await app.call('GET', '/api/v1/traces?limit=50', { token: ada.token }),
    ).body;
    for (const { group, value } of byStatus)
      expect(value).toBe(data.filter(({ status }: { status: string }) => status === group).length);
    const byAgent = assertOk(await query({ groupBy: 'agent', epsilon: 100 })).body.data.groups;
    expect(byAgent).toEqual([
      { group: agentId, value: 8 },
      { group: 'other', value: 4 },
    ]);
    const scores = data.map(({ confidenceScore }: { confidenceScore: number }) => confidenceScore);
    const [all] = assertOk(await query({ metric: 'meanConfidence', epsilon: 100 })).body.data
      .groups;
    const truth = scores.reduce((a: number, b: number) => a + b, 0) / scores.length;
    expect(Math.abs(all.value - truth)).toBeLessThan(0.02);
  });

  test('with a small one they differ from time to time, and each is paid', async () => {
    const before = (await get()).epsilonSpent;
    const values = new Set<number>();
    for (let i = 0; i < 12; i++) {
      const { groups, standardDeviation } = assertOk(await query({ epsilon: 0.05 })).body.data;
      values.add(groups[0].value);
      expect(standardDeviation).toBeGreaterThan(20);
    }
    expect(values.size).toBeGreaterThan(3);
    expect((await get()).epsilonSpent - before).toBeCloseTo(0.6, 9);
    const [entry] = await listAuditEntries(app, ada, 'action=compliance.privacy-budget.query');
    expect(entry).toMatchObject({
      status: 'success',
      metadata: { purpose: 'weekly-report', epsilon: 0.05 },
    });
  });

  test('another organisation’s decisions are not counted', async () => {
    await fresh({ epsilonCap: 1000 }, bob);
    const { groups } = assertOk(await query({ epsilon: 100 }, bob)).body.data;
    expect(groups).toEqual([{ group: 'all', value: 0 }]);
  });

  test.each([
    { metric: 'sum' },
    { groupBy: 'user' },
    { epsilon: 0 },
    { epsilon: 1e-7 },
    { epsilon: 1e5 },
    { delta: -1 },
    { delta: 0.5 },
    { mechanism: 'gaussian' },
    { mechanism: 'none' },
    { purpose: '' },
    { purpose: 'a.b' },
    { purpose: '$where' },
    { purpose: '__proto__' },
    { purpose: 'x'.repeat(65) },
    { more: 1 },
  ])('%o is refused, and spends nothing', async (more) => {
    const { epsilonSpent } = await get();
    expect(toOutcome(await query(more))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await get()).epsilonSpent).toBe(epsilonSpent);
  });

  test('purposes with the names of built-in members are purposes', async () => {
    for (const purpose of ['constructor', 'toString', 'valueOf'])
      assertOk(await query({ purpose, epsilon: 0.01 }));
    expect((await get()).spendByPurpose).toMatchObject({ constructor: 0.01, toString: 0.01 });
  });
});
