// The monthly limit of the plan sandbox, checked when an entry is sealed (document 1, sections 7 and 8).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { toObjectId, startHarness, type Harness } from '../../setup/harness.ts';
import type { Answer, TestApp } from '../../setup/start-app.ts';

const LIMIT = 20;
let harness: Harness;
let app: TestApp;
/** Milliseconds that the app's clock is ahead. */
let ahead = 0;
beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + ahead) };
  harness = await startHarness(
    { DEFAULT_PLAN: 'sandbox', ASSAY_LIMIT_SANDBOX: String(LIMIT) },
    { clock },
  );
  app = harness.app;
});
afterAll(() => harness.stop());

async function tenant(name: string): Promise<Owner & { key: string }> {
  const who = await createOwner(app, name);
  return { ...who, key: (await createWorkspaceKey(app, who)).key };
}
const post = (
  { key }: { key: string },
  body: object = buildDecision('x'),
  instance = app,
): Promise<Answer> => instance.call('POST', '/api/v1/traces', { key, body });
const many = (who: { key: string }, count: number, instance = app) =>
  Promise.all(Array.from({ length: count }, () => post(who, buildDecision('x'), instance)));
const stored = ({ organizationId }: Owner) =>
  harness.db
    .collection('ledger')
    .find({ organizationId: toObjectId(organizationId) })
    .sort({ sequence: 1 })
    .toArray();
const tally = (answers: readonly Answer[]) => ({
  taken: answers.filter(({ status }) => status === 201).length,
  refused: answers.filter(({ body }) => body.code === 'USAGE_LIMIT_EXCEEDED').length,
});

describe('the plan sandbox', () => {
  test('accepts exactly its limit under concurrency; further requests get 429 and store nothing', async () => {
    const ada = await tenant('Ada');
    expect(tally(await many(ada, LIMIT + 15))).toEqual({ taken: LIMIT, refused: 15 });
    const refused = await post(ada);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      success: false,
      error: expect.any(String) as string,
      code: 'USAGE_LIMIT_EXCEEDED',
    });
    const entries = await stored(ada);
    expect(entries.map(({ sequence }) => sequence as number)).toEqual(
      entries.map((_, at) => at + 1),
    );
    expect(entries.at(-1)?.usage).toMatchObject({ count: LIMIT });
  });

  test('with two instances too', { tags: ['long'] }, async () => {
    const bob = await tenant('Bob');
    const environment = { DEFAULT_PLAN: 'sandbox', ASSAY_LIMIT_SANDBOX: String(LIMIT) };
    const second = await startHarness(environment, { mongoUri: harness.mongoUri });
    try {
      const answers = await Promise.all([many(bob, LIMIT), many(bob, LIMIT, second.app)]);
      expect(tally(answers.flat())).toEqual({ taken: LIMIT, refused: LIMIT });
      expect(await stored(bob)).toHaveLength(LIMIT);
    } finally {
      await second.stop();
    }
  });

  test('a refusal releases the key; a replay is answered beyond the limit', async () => {
    const carl = await tenant('Carl');
    const first = buildDecision('x');
    const answer = await post(carl, first);
    await many(carl, LIMIT - 1);
    const beyond = buildDecision('x');
    expect((await post(carl, beyond)).status).toBe(429);
    const again = await post(carl, first);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      answer.body,
      'true',
    ]);
    const where = { _id: toObjectId(carl.organizationId) };
    await harness.db
      .collection('organizations')
      .updateOne(where, { $set: { 'subscription.plan': 'scale' } });
    await expect.poll(async () => (await post(carl, beyond)).status).toBe(201);
  });

  test('counts decisions only, also blocked ones, and no amendments', async () => {
    const dora = await tenant('Dora');
    const body = { name: 'All', conditions: [], actions: [{ type: 'block' }] };
    await app.call('POST', '/api/v1/policies', { token: dora.token, body });
    await many(dora, LIMIT - 1);
    const ids = (await stored(dora)).map(({ _id }) => _id.toHexString());
    const change = { ids, status: 'success' };
    assertOk(
      await app.call('POST', '/api/v1/traces/bulk-status', { token: dora.token, body: change }),
    );
    assertOk(
      await app.call('POST', '/api/v1/traces/bulk-delete', { token: dora.token, body: { ids } }),
    );
    const [last, beyond] = [await post(dora), await post(dora)];
    expect(last.body.code ?? 'taken').not.toBe('USAGE_LIMIT_EXCEEDED');
    expect(beyond.body.code).toBe('USAGE_LIMIT_EXCEEDED');
  });

  test('starts again each month', async () => {
    const eve = await tenant('Eve');
    await many(eve, LIMIT);
    expect((await post(eve)).status).toBe(429);
    const now = new Date();
    ahead = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime() + 1000;
    try {
      expect(tally(await many(eve, LIMIT + 1))).toEqual({ taken: LIMIT, refused: 1 });
    } finally {
      ahead = 0;
    }
  });
});

test.each(['scale', 'governance', 'enterprise', 'custom'])(
  'the plan %s has no such limit',
  async (plan) => {
    const who = await tenant(plan);
    const where = { _id: toObjectId(who.organizationId) };
    await harness.db
      .collection('organizations')
      .updateOne(where, { $set: { 'subscription.plan': plan } });
    await many(who, LIMIT);
    await expect.poll(async () => (await post(who)).status).toBe(201);
  },
);
