// Agents wait for verdicts: they are woken by them, on every instance, and many wait at the cost of one query.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { REQUEST_CLASSES } from '../../../src/http/checks/request-gate.ts';
import {
  awaitVerdict,
  countWaiting,
} from '../../../src/decisions/traces/review/callers/review-waiting.service.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent } from '../../setup/personas.ts';
import { type Answer, startApp, type TestApp } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';
import { endLooks } from './ended-looks.ts';

const rawActionDigest = createHash('sha256')
  .update(canonicalize({ tool: 'refund', amount: 120 }))
  .digest('hex');
const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide } = useReviews(harness, ada);
/** Another instance on the same database. */
let other: TestApp;
let till: { id: string; key: string };
beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
  till = await createAgent(app, ada);
});
afterAll(() => other.stop());

const wait = (id: string, on: TestApp = app, seconds = 55): Promise<Answer> =>
  on.call('GET', `/api/v1/traces/${id}?wait=${seconds}`, { key: till.key });
const holdOwn = () => hold({ agentId: till.id }, till.key);
const untilWaiting = (count: number, on: TestApp = app) =>
  expect.poll(() => countWaiting(on.instance.platform), { interval: 2 }).toBe(count);

test.each([
  ['the same instance', () => app],
  ['another instance', () => other],
])('a verdict wakes a request on %s without a look at the database', async (_, getApp) => {
  endLooks();
  const { id, traceId } = await holdOwn();
  const waiting = wait(traceId, getApp());
  await untilWaiting(1, getApp());
  assertOk(await decide(id, { decision: 'approve' }));
  const { headers, body } = assertOk(await waiting);
  expect([headers.get('x-review-status'), body.data.status]).toEqual(['approved', 'approved']);
  expect(countWaiting(getApp().instance.platform)).toBe(0);
});

test('a verdict that came before the wait is answered at once', async () => {
  const { id, traceId } = await holdOwn();
  assertOk(await decide(id, { decision: 'reject' }));
  expect(assertOk(await wait(traceId)).headers.get('x-review-status')).toBe('rejected');
});

test('a wait that ends without a verdict says that the review is pending', async () => {
  const { traceId } = await holdOwn();
  const { headers, body } = assertOk(await wait(traceId, app, 1));
  expect([headers.get('x-review-status'), body.data.review.status]).toEqual(['pending', 'pending']);
});

test('an erased decision ends its waits', async () => {
  const { traceId, mongoId } = await holdOwn();
  const waiting = wait(traceId);
  await untilWaiting(1);
  const body = { ids: [mongoId] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  expect((await waiting).status).toBe(404);
});

test('a caller who leaves waits no longer', async () => {
  const { traceId } = await holdOwn();
  const url = `${app.url}/api/v1/traces/${traceId}?wait=55`;
  const leaving = new AbortController();
  const left = fetch(url, { headers: { 'x-api-key': till.key }, signal: leaving.signal });
  await untilWaiting(1);
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  await untilWaiting(0);
});

test('those that wait hold no permit of their organisation: others are computed beside them', async () => {
  // No permit is freed because its holder is slow.
  const { slowMs } = REQUEST_CLASSES.ordinary;
  REQUEST_CLASSES.ordinary.slowMs = 3_600_000;
  const { id, traceId } = await holdOwn();
  const waiting = Array.from({ length: 12 }, () => wait(traceId));
  await untilWaiting(12);
  assertOk(await decide(id, { decision: 'approve' }));
  for (const answer of await Promise.all(waiting))
    expect(assertOk(answer).headers.get('x-review-status')).toBe('approved');
  REQUEST_CLASSES.ordinary.slowMs = slowMs;
});

test(
  'fifty requests wait for one verdict, and those for another go on waiting',
  { tags: ['long'] },
  async () => {
    const [first, second] = [await holdOwn(), await holdOwn()];
    const waiting = Array.from({ length: 50 }, () => wait(first.traceId));
    const patient = wait(second.traceId);
    await untilWaiting(51);
    assertOk(await decide(first.id, { decision: 'approve' }));
    for (const answer of await Promise.all(waiting))
      expect(assertOk(answer).body.data.status).toBe('approved');
    await sleep(50);
    expect(countWaiting(app.instance.platform)).toBe(1);
    assertOk(await decide(second.id, { decision: 'approve' }));
    assertOk(await patient);
  },
);

test('an instance that stops answers those who wait, and the next instance takes them', async () => {
  const third = await startApp({}, { mongoUri: harness.mongoUri });
  const { id, traceId } = await holdOwn();
  const waiting = wait(traceId, third);
  await untilWaiting(1, third);
  await third.stop();
  expect(assertOk(await waiting).headers.get('x-review-status')).toBe('pending');
  const again = wait(traceId, other);
  await untilWaiting(1, other);
  assertOk(await decide(id, { decision: 'approve' }));
  expect(assertOk(await again).body.data.status).toBe('approved');
});

test('waits count against the key, not against the address', async () => {
  const small = await startApp(
    { ASSAY_LIMIT_IP: '5', ASSAY_LIMIT_USER: '2', ASSAY_LIMIT_FOLLOW_UP: '8' },
    { mongoUri: harness.mongoUri },
  );
  const { traceId } = await holdOwn();
  const ask = (key: string) =>
    small.call('GET', `/api/v1/traces/${traceId}?wait=0`, { key }).then(({ status }) => status);
  const statuses = [];
  for (let count = 0; count < 9; count += 1) statuses.push(await ask(till.key));
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
  const unknown = [];
  for (let count = 0; count < 6; count += 1) unknown.push(await ask(`svc_live_${'0'.repeat(48)}`));
  expect(unknown.at(-1)).toBe(429);
  await small.stop();
});

test(
  'the waits, claims and outcomes of two hundred holds use up no limit of decisions',
  { tags: ['long'] },
  async () => {
    const small = await startApp(
      { ASSAY_LIMIT_IP: '20', ASSAY_LIMIT_USER: '20', ASSAY_LIMIT_FOLLOW_UP: '900' },
      { mongoUri: harness.mongoUri },
    );
    const fleet = await createAgent(app, ada);
    const held = [];
    for (let count = 0; count < 200; count += 1)
      held.push(await hold({ agentId: fleet.id }, fleet.key));
    const perMinute = { maxRequestsPerMinute: 1 };
    const { token } = ada;
    assertOk(
      await app.call('PATCH', `/api/v1/agents/${fleet.id}/policies`, { token, body: perMinute }),
    );
    const follow = (method: string, path: string, body?: object): Promise<Answer> =>
      small.call(method, `/api/v1/traces/${path}`, { key: fleet.key, body });
    // Together, so that all of it falls into one minute on a busy machine too.
    for (let round = 0; round < 4; round += 1) {
      const asked = held.map(({ traceId }) => follow('GET', `${traceId}?wait=0`));
      for (const answer of await Promise.all(asked)) assertOk(answer);
    }
    for (const { id, traceId } of held.slice(0, 30)) {
      assertOk(await decide(id, { decision: 'approve' }));
      const claimed = await follow('POST', `${traceId}/executions`, { rawActionDigest });
      const { executionId } = assertOk(claimed).body.data;
      const outcome = { outcome: 'succeeded' };
      assertOk(await follow('PATCH', `${traceId}/executions/${executionId}`, outcome));
    }
    const [left, last] = held.slice(-2);
    assertOk(await follow('POST', `${left?.traceId}/withdraw`, {}));
    // They stay bounded, and what is no follow-up counts as ever.
    const statuses = [];
    for (let count = 0; count < 40; count += 1)
      statuses.push((await follow('GET', `${last?.traceId}?wait=0`)).status);
    expect(statuses.indexOf(429)).toBe(900 - 800 - 2 * 30 - 1);
    expect((await follow('POST', `${last?.traceId}/executions`, { rawActionDigest })).status).toBe(
      429,
    );
    const reads = [];
    for (let count = 0; count < 21; count += 1)
      reads.push((await follow('GET', String(last?.traceId))).status);
    expect([reads.at(-2), reads.at(-1)]).toEqual([200, 429]);
    await small.stop();
  },
);

test('more waits than an instance takes are refused, and those under way go on', async () => {
  const platform = { ...app.instance.platform };
  const { id, traceId } = await holdOwn();
  const wanted = { organizationId: ada.organizationId, traceId, seconds: 55, max: 1 };
  const first = awaitVerdict(platform, wanted);
  await expect(awaitVerdict(platform, wanted)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '2' },
  });
  assertOk(await decide(id, { decision: 'approve' }));
  await first;
  expect(countWaiting(platform)).toBe(0);
});
