// Holds that end by themselves: who says when, what is sealed, and who wins at that moment.
// @module-tag long
import { countWaiting } from '../../../src/decisions/traces/review/callers/review-waiting.service.ts';
import { expireDueReviews } from '../../../src/decisions/traces/review/review-expiry.service.ts';
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { isByPerson } from '../../../src/domain/record/persons-verdict.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { openEntry } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, createOwner } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Answer, startApp, type TestApp, toOutcome } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';
import { endLooks } from './ended-looks.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide, decideAll, read, entriesOf, verify } = useReviews(harness, ada);
let till: { id: string; key: string };
beforeAll(async () => {
  till = await createAgent(app, ada);
});

const MINUTE = 60_000;
const expireDue = (on: TestApp = app): Promise<number> => expireDueReviews(on.instance.platform);
const holdFor = (expiresIn: number, more: object = {}) =>
  hold({ agentId: till.id, review: { expiresIn }, ...more }, till.key);
const post = (body: object): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key: till.key, body });
const refundBody = (more: object = {}) =>
  buildDecision(till.id, { outputDecision: { action: { tool: 'refund', amount: 7 } }, ...more });
const setWorkspace = (reviewExpiry: object | null): Promise<Answer> =>
  app.call('PATCH', `/api/v1/workspaces/${ada.workspaceId}`, {
    token: ada.token,
    body: { reviewExpiry },
  });
/** A policy that holds what its word names. */
const createHolding = (word: string, config: object): Promise<Answer> =>
  app.call('POST', '/api/v1/policies', {
    token: ada.token,
    body: {
      name: `Holds ${word} ${JSON.stringify(config)}`,
      conditions: [{ field: 'outputDecision.action', operator: 'contains', value: word }],
      actions: [{ type: 'flag_for_review', config }],
    },
  });
interface Posted {
  status: number;
  data: { traceId: string; expiresAt: string | null };
  /** The app's clock before and after the request. */
  from: number;
  to: number;
}
async function postTimed(body: object): Promise<Posted> {
  const from = clock.now().getTime();
  const { status, body: answer } = assertOk(await post(body));
  return { status, data: answer.data, from, to: clock.now().getTime() };
}
const holdWord = (word: string, more: object = {}): Promise<Posted> =>
  postTimed(buildDecision(till.id, { outputDecision: { action: word }, ...more }));
/** Whether the hold ends that many seconds after the decision was judged. */
function endsAfter({ data, from, to }: Posted, seconds: number): boolean {
  const end = new Date(data.expiresAt ?? 0).getTime() - seconds * 1000;
  return from <= end && end <= to;
}

test('a hold without a verdict is sealed as expired by the service, and the decision is blocked', async () => {
  const { id, traceId, mongoId } = await holdFor(600);
  const before = assertOk(await read(mongoId)).body.data;
  expect(before.review.expiresAt).toMatch(/^\d{4}-.*Z$/);
  await expireDue();
  expect(assertOk(await read(mongoId)).body.data.review.status).toBe('pending');

  clock.aheadMs += 10 * MINUTE + 1000;
  await expireDue();
  const { status, humanOverride, review } = assertOk(await read(mongoId)).body.data;
  expect([status, humanOverride, review.status]).toEqual(['blocked', false, 'expired']);
  expect(review.receipt).toMatchObject({ sequence: expect.any(Number), salt: expect.any(String) });
  const item = assertOk(
    await app.call('GET', '/api/v1/review-queue?status=expired', { token: ada.token }),
  ).body.data.find((each: { id: string }) => each.id === id);
  expect(item).toMatchObject({
    status: 'expired',
    decision: null,
    decidedBy: null,
    overdue: false,
  });
  expect(item.expiresAt).toBe(review.expiresAt);

  const [, entry, more] = await entriesOf(traceId);
  expect([entry?.kind, more]).toEqual(['review', undefined]);
  const { actor, decision, set, commitments } = JSON.parse(entry?.view as string);
  expect([actor, decision]).toEqual([{ kind: 'system', id: null }, 'reject']);
  expect(set).toEqual({ status: 'blocked', humanOverride: null });
  const opened = await openEntry(app, entry as never);
  const { expired } = (opened as unknown as { sealed: Record<string, { text: string }> }).sealed;
  expect(JSON.parse(expired?.text ?? '')).toBe(review.expiresAt);
  expect(Object.keys(commitments)).toEqual(['actionDigest', 'expired', 'rawAction']);
  expect(await verify()).toBe(true);
});

test('the request outweighs the policy, the policy the workspace, and a decision that is not held has no end', async () => {
  assertOk(await createHolding('plain', {}));
  assertOk(await createHolding('timed', { expiresIn: 300 }));
  expect((await holdWord('plain')).data.expiresAt).toBeNull();
  assertOk(await setWorkspace({ expiresIn: 900 }));
  expect(endsAfter(await holdWord('plain'), 900)).toBe(true);
  expect(endsAfter(await holdWord('timed'), 300)).toBe(true);
  expect(endsAfter(await holdWord('timed', { review: { expiresIn: 3600 } }), 3600)).toBe(true);
  expect(endsAfter(await holdWord('timed plain'), 300)).toBe(true);
  const free = await holdWord('reply', { review: { expiresIn: 60 } });
  expect([free.status, free.data.expiresAt]).toEqual([201, null]);
  const { body } = await app.call('GET', '/api/v1/workspaces', { token: ada.token });
  expect(body.data[0].reviewExpiry).toEqual({ expiresIn: 900 });
  assertOk(await setWorkspace(null));
  expect((await holdWord('plain')).data.expiresAt).toBeNull();
});

test('a body of a quarter of a megabyte, judged in a thread, has the same end', async () => {
  const alternatives = [{ decision: 'x'.repeat(90_000) }];
  const metadata = { note: 'y'.repeat(90_000) };
  const conversation = { note: 'z'.repeat(90_000) };
  const body = refundBody({ alternatives, metadata, conversation, review: { expiresIn: 120 } });
  const posted = await postTimed(body);
  expect([posted.status, endsAfter(posted, 120)]).toEqual([202, true]);
});

test('a replay repeats the end of the hold', async () => {
  const body = refundBody({ review: { expiresIn: 77 } });
  const first = await postTimed(body);
  const again = await post(body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body.data).toEqual(first.data);
  expect(endsAfter(first, 77)).toBe(true);
});

test.each([
  [{ expiresIn: 0 }],
  [{ expiresIn: 2_592_001 }],
  [{ expiresIn: 1.5 }],
  [{ expiresIn: '60' }],
  [{}],
  [{ expiresIn: 60, onExpiry: 'approve' }],
  [{ expiresIn: 60, until: 'noon' }],
  [[]],
])('an expiry that is none is refused with a code: %j', async (review) => {
  const answer = await post(refundBody({ review }));
  expect(toOutcome(answer)).toEqual([400, 'SVC_VALIDATION_FAILED']);
});

test.each([
  [{ expiresIn: 0 }],
  [{ expiresIn: '60' }],
  [{ onExpiry: 'approve' }],
  [{ expiresIn: 60, onExpiry: 'maybe' }],
])('a policy with an expiry that is none is refused: %j', async (config) => {
  const { status, body } = await createHolding('odd', config);
  expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
});

test('a policy may approve by lapse, and only if all that hold the decision agree', async () => {
  assertOk(await createHolding('lenient', { expiresIn: 60, onExpiry: 'approve' }));
  assertOk(await createHolding('strict', { expiresIn: 120 }));
  assertOk(await createHolding('asking', {}));
  const alone = await holdWord('lenient');
  const others = [
    await holdWord('lenient strict'),
    await holdWord('lenient asking'),
    await holdWord('lenient', { review: { expiresIn: 60 } }),
  ];
  clock.aheadMs += 2 * MINUTE;
  await expireDue();
  const find = async (traceId: string) => {
    const { data } = assertOk(await read(traceId)).body;
    return [data.status, data.review.status];
  };
  expect(await find(alone.data.traceId)).toEqual(['approved', 'approved']);
  for (const { data } of others) expect(await find(data.traceId)).toEqual(['blocked', 'expired']);
});

test('a verdict after the end is refused with 409, whether or not the job has run', async () => {
  const [first, second, third] = [await holdFor(60), await holdFor(60), await holdFor(60)];
  clock.aheadMs += MINUTE + 1000;
  const late = await decide(first.id, { decision: 'approve' });
  expect(toOutcome(late)).toEqual([409, 'REVIEW_ENDED']);
  expect(late.body.data).toEqual({ status: 'expired' });
  expect(assertOk(await read(first.mongoId)).body.data.review.status).toBe('expired');
  expect((await decideAll({ ids: [second.id], decision: 'approve' })).status).toBe(404);
  await expireDue();
  expect(assertOk(await read(second.mongoId)).body.data.review.status).toBe('expired');
  const later = await decide(third.id, { decision: 'reject' });
  expect([toOutcome(later), later.body.data]).toEqual([
    [409, 'REVIEW_ENDED'],
    { status: 'expired' },
  ]);
  const handled = await app.call('POST', `/api/v1/review-queue/${third.id}/escalate`, {
    token: ada.token,
    body: {},
  });
  expect(toOutcome(handled)).toEqual([400, 'INVALID_OPERATION']);
});

test(
  'reviewer, withdrawal and two instances at the moment of expiry: the review ends once',
  { tags: ['long'] },
  async () => {
    const other = await startApp({}, { mongoUri: harness.mongoUri, clock });
    const holds = [];
    for (let count = 0; count < 12; count += 1) holds.push(await holdFor(60));
    clock.aheadMs += MINUTE - 20;
    const ends = holds.flatMap(({ id, traceId }) => [
      decide(id, { decision: 'approve' }),
      app.call('POST', `/api/v1/traces/${traceId}/withdraw`, { key: till.key, body: {} }),
    ]);
    clock.aheadMs += 40;
    const jobs = [expireDue(), expireDue(other)];
    for (const { status, body } of await Promise.all(ends))
      if (status !== 200)
        expect([
          [400, 'INVALID_OPERATION'],
          [409, 'REVIEW_ENDED'],
        ]).toContainEqual([status, body.code]);
    await Promise.all(jobs);
    await expireDue();
    for (const { traceId } of holds) {
      const kinds = (await entriesOf(traceId)).map(({ kind }) => kind);
      expect(kinds).toEqual(['trace', 'review']);
    }
    expect(await verify()).toBe(true);
    await other.stop();
  },
);

test('a restart in between loses no expiry', async () => {
  const first = await startApp({}, { mongoUri: harness.mongoUri, clock });
  const { mongoId } = await holdFor(60);
  await first.stop();
  clock.aheadMs += MINUTE + 1000;
  const next = await startApp({}, { mongoUri: harness.mongoUri, clock });
  await expireDue(next);
  expect(assertOk(await read(mongoId)).body.data.review.status).toBe('expired');
  await next.stop();
});

test('an expiry wakes the agent that waits', async () => {
  endLooks();
  const { traceId } = await holdFor(60);
  const waiting = app.call('GET', `/api/v1/traces/${traceId}?wait=55`, { key: till.key });
  await expect.poll(() => countWaiting(app.instance.platform), { interval: 2 }).toBe(1);
  clock.aheadMs += MINUTE + 1000;
  await expireDue();
  expect(assertOk(await waiting).headers.get('x-review-status')).toBe('expired');
});

test('the holds of an erased decision end, too, and are not looked at again', async () => {
  const { traceId, mongoId } = await holdFor(60);
  const body = { ids: [mongoId] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  clock.aheadMs += MINUTE + 1000;
  await expireDue();
  expect((await entriesOf(traceId)).map(({ kind }) => kind)).toEqual([
    'trace',
    'erasure',
    'review',
  ]);
  expect(await expireDue()).toBe(0);
  expect(await verify()).toBe(true);
});

test('an end that was changed in the database is a finding of verification', async () => {
  const { mongoId } = await holdFor(600);
  const ledger = harness.db.collection('ledger');
  const where = { traceId: assertOk(await read(mongoId)).body.data.traceId, kind: 'trace' };
  const stored = await ledger.findOne(where);
  await ledger.updateOne(where, { $set: { 'review.onExpiry': 'approve' } });
  expect(await verify()).toBe(false);
  await ledger.updateOne(where, { $set: { review: stored?.['review'] } });
  expect(await verify()).toBe(true);
});

test(
  'a hundred and forty holds of one organisation that end at once delay no other organisation',
  { tags: ['long'] },
  async () => {
    const bob = await createOwner(app, 'Bob');
    const ledger = harness.db.collection('ledger');
    const many = [];
    for (let count = 0; count < 140; count += 1) many.push(holdFor(60));
    await Promise.all(many);
    const agent = await createAgent(app, bob);
    const policy = { name: 'All', conditions: [], actions: [{ type: 'flag_for_review' }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token: bob.token, body: policy }));
    const { traceId } = assertOk(
      await app.call('POST', '/api/v1/traces', {
        key: agent.key,
        body: buildDecision(agent.id, { review: { expiresIn: 60 } }),
      }),
    ).body.data;
    clock.aheadMs += MINUTE + 10_000;
    const due = clock.now();
    await expireDue();
    const [, own] = await ledger.find({ traceId }).sort({ sequence: 1 }).toArray();
    const ends = await ledger
      .find({ kind: 'review', createdAt: { $lt: own?.['createdAt'] } })
      .toArray();
    const theirs = ends.filter(
      ({ organizationId }) => !organizationId.equals(own?.['organizationId']),
    );
    expect(theirs.filter(({ createdAt }) => createdAt >= due).length).toBeLessThan(128);
  },
);

test('withdrawal: by the key that posted, once, with a scrubbed reason', async () => {
  const { traceId, mongoId, id } = await holdFor(600);
  const withdraw = (key: string, body: object = {}) =>
    app.call('POST', `/api/v1/traces/${traceId}/withdraw`, { key, body });
  const answer = assertOk(await withdraw(till.key, { reason: 'ada@example.com has paid' }));
  expect(answer.headers.get('x-review-status')).toBe('withdrawn');
  expect(answer.body.data).toMatchObject({
    traceId,
    status: 'blocked',
    review: { _id: id, status: 'withdrawn' },
  });
  const again = assertOk(await withdraw(till.key));
  expect(again.body.data).toEqual(answer.body.data);
  const [, entry, more] = await entriesOf(traceId);
  expect([entry?.kind, more]).toEqual(['review', undefined]);
  const view = JSON.parse(entry?.view as string);
  expect([view.actor.kind, view.decision, view.set]).toEqual([
    'agentKey',
    'reject',
    { status: 'blocked', humanOverride: null },
  ]);
  const item = assertOk(
    await app.call('GET', '/api/v1/review-queue?status=withdrawn', { token: ada.token }),
  ).body.data[0];
  expect(item).toMatchObject({ id, decision: null, decidedBy: view.actor.id });
  expect(item.reason).toMatch(/^\[.+\] has paid$/);
  const late = await decide(id, { decision: 'approve' });
  expect([toOutcome(late), late.body.data]).toEqual([
    [409, 'REVIEW_ENDED'],
    { status: 'withdrawn' },
  ]);
  expect(assertOk(await read(mongoId)).body.data.humanOverride).toBe(false);
  expect(
    createHash('sha256')
      .update(entry?.view as string)
      .digest('hex'),
  ).toBe(entry?.['payloadDigest']);
  expect(await verify()).toBe(true);
});

test('withdrawal: who may, and of what', async () => {
  const { traceId } = await holdFor(600);
  const path = `/api/v1/traces/${traceId}/withdraw`;
  const workspaceKey = await app.call('POST', '/api/v1/auth/keys', {
    token: ada.token,
    body: { name: 'other' },
  });
  const sibling = await createAgent(app, ada);
  const eve = await createOwner(app, 'Eve');
  const stranger = await createAgent(app, eve);
  const ask = async (call: object) =>
    toOutcome(await app.call('POST', path, { body: {}, ...call }));
  expect(await ask({ key: workspaceKey.body.data.key })).toEqual([403, 'FORBIDDEN']);
  expect(await ask({ key: sibling.key })).toEqual([404, 'NOT_FOUND']);
  expect(await ask({ key: stranger.key })).toEqual([404, 'NOT_FOUND']);
  expect(await ask({ token: eve.token })).toEqual([404, 'NOT_FOUND']);
  expect(await ask({})).toEqual([401, 'NO_TOKEN']);
  expect(await ask({ key: till.key, body: { reasn: 'x' } })).toEqual([400, 'VALIDATION_ERROR']);
  assertOk(await app.call('POST', path, { token: ada.token, body: { reason: 'closed' } }));

  const decided = await holdFor(600);
  assertOk(await decide(decided.id, { decision: 'approve' }));
  const late = await app.call('POST', `/api/v1/traces/${decided.traceId}/withdraw`, {
    key: till.key,
    body: {},
  });
  expect([toOutcome(late), late.body.data]).toEqual([
    [409, 'REVIEW_ENDED'],
    { status: 'approved' },
  ]);
  const { data: free } = await holdWord('reply');
  const never = await app.call('POST', `/api/v1/traces/${free.traceId}/withdraw`, {
    key: till.key,
    body: {},
  });
  expect(toOutcome(never)).toEqual([400, 'INVALID_OPERATION']);
});

test('a withdrawal wakes the agent that waits, and twenty at once are one', async () => {
  const { traceId } = await holdFor(600);
  const waiting = app.call('GET', `/api/v1/traces/${traceId}?wait=55`, { key: till.key });
  await expect.poll(() => countWaiting(app.instance.platform), { interval: 2 }).toBe(1);
  const all = Array.from({ length: 20 }, () =>
    app.call('POST', `/api/v1/traces/${traceId}/withdraw`, { key: till.key, body: {} }),
  );
  for (const answer of await Promise.all(all)) assertOk(answer);
  expect(assertOk(await waiting).headers.get('x-review-status')).toBe('withdrawn');
  expect(await entriesOf(traceId)).toHaveLength(2);
});

test('a withdrawal by a person is no verdict of a person', async () => {
  const eve = await createOwner(app, 'Eve');
  const agent = await createAgent(app, eve);
  const policy = { name: 'All', conditions: [], actions: [{ type: 'flag_for_review' }] };
  assertOk(await app.call('POST', '/api/v1/policies', { token: eve.token, body: policy }));
  const { traceId } = assertOk(
    await app.call('POST', '/api/v1/traces', { key: agent.key, body: buildDecision(agent.id) }),
  ).body.data;
  const path = `/api/v1/traces/${traceId}/withdraw`;
  assertOk(await app.call('POST', path, { token: eve.token, body: {} }));
  const entry = await harness.db.collection('ledger').findOne({ traceId, kind: 'review' });
  expect(isByPerson(entry?.['view'])).toBe(false);
});

test('a clock that is set back ends nothing early, and what has expired stays so', async () => {
  const { mongoId } = await holdFor(60);
  clock.aheadMs += MINUTE + 1000;
  await expireDue();
  clock.aheadMs -= 2 * MINUTE;
  const young = await holdFor(60);
  await expireDue();
  expect(assertOk(await read(mongoId)).body.data.review.status).toBe('expired');
  expect(assertOk(await read(young.mongoId)).body.data.review.status).toBe('pending');
});
