// The queue shows when the caller of a hold last asked and whether it waits, and finds approvals that were never claimed.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createOwner } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Answer, startApp, type TestApp, toOutcome } from '../../setup/start-app.ts';
import { useReviews } from './review-queue-stage.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const bea = useOwner(harness, 'Bea');
const { hold, list, decide, read, entriesOf, verify } = useReviews(harness, ada);
const others = useReviews(harness, bea);
let till: { id: string; key: string };
/** Another instance on the same database. */
let other: TestApp;
beforeAll(async () => {
  till = await createAgent(app, ada);
  other = await startApp({}, { mongoUri: harness.mongoUri, clock });
});
afterAll(() => other.stop());

const MINUTE = 60_000;
const rawActionDigest = createHash('sha256')
  .update(canonicalize({ tool: 'refund', amount: 120 }))
  .digest('hex');
const holdOwn = () => hold({ agentId: till.id }, till.key);
const ask = (id: string, on: TestApp = app, wait = 0): Promise<Answer> =>
  on.call('GET', `/api/v1/traces/${id}?wait=${wait}`, { key: till.key });
const claim = (traceId: string): Promise<Answer> =>
  app.call('POST', `/api/v1/traces/${traceId}/executions`, {
    key: till.key,
    body: { rawActionDigest },
  });
async function showAsked(id: string, { token } = ada): Promise<[number | null, boolean | null]> {
  const answer = await app.call('GET', `/api/v1/review-queue/${id}`, { token });
  const { lastAskedAt, callerWaits } = assertOk(answer).body.data;
  return [lastAskedAt === null ? null : Date.parse(lastAskedAt), callerWaits];
}
/** The time of the next ask, which is now. */
async function expectAsk(id: string, asking: () => Promise<unknown>): Promise<void> {
  clock.aheadMs += 2 * MINUTE;
  const before = clock.now().getTime();
  await asking();
  const [at, waits] = await showAsked(id);
  expect(at).toBeGreaterThanOrEqual(before);
  expect(waits).toBe(true);
}

test('an item shows when its caller last asked, and whether it still waits', async () => {
  const { id, traceId } = await holdOwn();
  const theirs = await others.hold();
  expect(await showAsked(id)).toEqual([null, null]);
  await read(traceId);
  expect(await showAsked(id)).toEqual([null, null]);
  await expectAsk(id, () => ask(traceId));
  const listed = assertOk(await list('status=pending')).body.data;
  expect(listed[0]).toMatchObject({ id, callerWaits: true });
  clock.aheadMs += 6 * MINUTE;
  expect((await showAsked(id))[1]).toBe(false);
  expect(await showAsked(theirs.id, bea)).toEqual([null, null]);
});

test('polls of a minute write once, on all instances, and none of them is an entry', async () => {
  const { id, traceId } = await holdOwn();
  await ask(traceId);
  const [first] = await showAsked(id);
  clock.aheadMs += MINUTE / 2;
  for (const on of [app, other]) assertOk(await ask(traceId, on));
  expect((await showAsked(id))[0]).toBe(first);
  clock.aheadMs += MINUTE;
  const before = clock.now().getTime();
  await Promise.all([ask(traceId), ask(traceId, other)]);
  expect((await showAsked(id))[0]).toBeGreaterThanOrEqual(before);
  expect(await entriesOf(traceId)).toHaveLength(1);
  expect(await verify()).toBe(true);
});

test('a wait, a claim that comes too early and a repetition of the decision are asks as well', async () => {
  const outputDecision = { action: { tool: 'refund', amount: 120 } };
  const body = buildDecision(till.id, { outputDecision });
  const headers = { 'idempotency-key': 'asks-again' };
  const post = () => app.call('POST', '/api/v1/traces', { key: till.key, body, headers });
  const { traceId, reviewId: id } = assertOk(await post()).body.data;
  expect(await showAsked(id)).toEqual([null, null]);
  await expectAsk(id, () => ask(traceId, other, 1));
  await expectAsk(id, async () =>
    expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_PENDING']),
  );
  await expectAsk(id, async () =>
    expect(assertOk(await post()).headers.get('idempotency-replayed')).toBe('true'),
  );
});

test('a verdict says whether the caller waits for it', async () => {
  const [waiting, left, silent, withdrawn] = [
    await holdOwn(),
    await holdOwn(),
    await holdOwn(),
    await holdOwn(),
  ];
  for (const { traceId } of [left, withdrawn]) await ask(traceId);
  const path = `/api/v1/traces/${withdrawn.traceId}/withdraw`;
  assertOk(await app.call('POST', path, { key: till.key, body: {} }));
  expect((await showAsked(withdrawn.id))[1]).toBe(false);
  clock.aheadMs += 6 * MINUTE;
  await ask(waiting.traceId);
  const approve = async ({ id }: { id: string }) =>
    assertOk(await decide(id, { decision: 'approve' })).body.data.callerWaits;
  expect(await approve(waiting)).toBe(true);
  expect(await approve(left)).toBe(false);
  expect(await approve(silent)).toBeNull();
});

test('`claimed` finds what was approved and never claimed, and what was, of one organisation', async () => {
  const cleo = await createOwner(app, 'Cleo');
  const [claimed, unclaimed] = [await holdOwn(), await holdOwn()];
  await holdOwn();
  const rejected = await holdOwn();
  const theirs = await others.hold();
  for (const { id } of [claimed, unclaimed]) assertOk(await decide(id, { decision: 'approve' }));
  assertOk(await decide(rejected.id, { decision: 'reject' }));
  assertOk(await others.decide(theirs.id, { decision: 'approve' }));
  assertOk(await claim(claimed.traceId));
  const find = async (query: string, who = ada) => {
    const { data, total } = assertOk(await list(`agentId=${till.id}&${query}`, who)).body;
    expect(total).toBe(data.length);
    return data.map(({ id }: { id: string }) => id);
  };
  const never = await find('claimed=false');
  expect(never).toContain(unclaimed.id);
  for (const { id } of [claimed, rejected, theirs]) expect(never).not.toContain(id);
  expect(await find('status=approved&claimed=false&limit=500')).toEqual(never);
  expect(await find('claimed=true')).toEqual([claimed.id]);
  expect(await find('status=pending&claimed=false')).toEqual([]);
  const { data } = assertOk(await others.list('claimed=false')).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([theirs.id]);
  expect(assertOk(await list('claimed=false', cleo)).body.data).toEqual([]);
  expect(toOutcome(await list('claimed=maybe'))).toEqual([400, 'VALIDATION_ERROR']);
});

test('`callerWaits` finds the holds that a caller waits for, and those that none waits for any more', async () => {
  const [asks, left, silent, withdrawn] = [
    await holdOwn(),
    await holdOwn(),
    await holdOwn(),
    await holdOwn(),
  ];
  for (const { traceId } of [left, withdrawn]) await ask(traceId);
  const path = `/api/v1/traces/${withdrawn.traceId}/withdraw`;
  assertOk(await app.call('POST', path, { key: till.key, body: {} }));
  clock.aheadMs += 6 * MINUTE;
  await ask(asks.traceId);
  const theirs = await others.hold();
  await app.call('GET', `/api/v1/traces/${theirs.traceId}`, { token: bea.token });
  const all = [asks, left, silent, withdrawn, theirs];
  const find = async (query: string) => {
    const { data, total } = assertOk(await list(`agentId=${till.id}&${query}`)).body;
    expect(total).toBe(data.length);
    return all.filter(({ id }) => data.some((item: { id: string }) => item.id === id));
  };
  expect(await find('callerWaits=true')).toEqual([asks]);
  expect(await find('callerWaits=false')).toEqual([left, withdrawn]);
  expect(await find('status=pending&callerWaits=false')).toEqual([left]);
  expect(await find('status=pending&sort=due&callerWaits=false')).toEqual([left]);
  expect(toOutcome(await list('callerWaits=perhaps'))).toEqual([400, 'VALIDATION_ERROR']);
});
