// What happens at the moment of a claim or a verdict: the first one stands in the chain, and the other one is refused.
// @module-tag long
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import {
  awaitVerdict,
  countWaiting,
} from '../../../src/decisions/traces/review/callers/review-waiting.service.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createFeedbackKey } from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

/** Milliseconds that the app's clock is ahead. */
let ahead = 0;
const harness = useHarness({}, { clock: { now: () => new Date(Date.now() + ahead) } });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const { decide, entriesOf, verify } = useReviews(harness, ada);
const theirs = useReviews(harness, eve);
let till: { id: string; key: string };
let feedbackKey: string;
beforeAll(async () => {
  till = await createAgent(app, ada);
  // A quick machine makes more requests in a minute than an agent may.
  const path = `/api/v1/agents/${till.id}/policies`;
  const body = { maxRequestsPerMinute: null };
  assertOk(await app.call('PATCH', path, { token: ada.token, body }));
  feedbackKey = await createFeedbackKey(app, ada);
});

const ROUNDS = Array.from({ length: chooseRuns(2, 12) }, (_, round) => round);
const digest = (action: Json): string =>
  createHash('sha256').update(canonicalize(action)).digest('hex');
const action = { tool: 'refund', amount: 120 };
const rawActionDigest = digest(action);

async function propose() {
  const body = buildDecision(till.id, { outputDecision: { action } });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key: till.key, body })).body;
  const stored = await harness.db.collection('ledger').findOne({ traceId: data.traceId });
  return { ...data, mongoId: String(stored?._id) } as {
    traceId: string;
    reviewId: string;
    actionDigest: string;
    mongoId: string;
  };
}
async function approve() {
  const held = await propose();
  assertOk(await decide(held.reviewId, { decision: 'approve' }));
  return held;
}
const claim = (traceId: string, more: object = {}): Promise<Answer> =>
  app.call('POST', `/api/v1/traces/${traceId}/executions`, {
    key: till.key,
    body: { rawActionDigest, ...more },
  });
const end = (traceId: string, executionId: string, outcome: string): Promise<Answer> =>
  app.call('PATCH', `/api/v1/traces/${traceId}/executions/${executionId}`, {
    key: till.key,
    body: { outcome },
  });
const kindsOf = async (traceId: string): Promise<string[]> =>
  (await entriesOf(traceId)).map(({ kind }) => kind as string);
/** Runs two requests at once, and every other time the second one first. */
async function race<A, B>(
  round: number,
  one: () => Promise<A>,
  two: () => Promise<B>,
): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), two()]);
  const second = two();
  return [await one(), await second];
}

describe('a claim at the moment of', () => {
  test('a correction: before it, or refused', async () => {
    for (const round of ROUNDS) {
      const { traceId } = await approve();
      const body = { traceId, correctedDecision: { tool: 'refund', amount: 12 } };
      const [claimed, corrected] = await race(
        round,
        () => claim(traceId),
        () => app.call('POST', '/api/v1/cpi/ingest', { key: feedbackKey, body }),
      );
      assertOk(corrected);
      const kinds = await kindsOf(traceId);
      if (claimed.status === 201)
        expect(kinds).toEqual(['trace', 'review', 'execution', 'correction']);
      else {
        expect(toOutcome(claimed)).toEqual([403, 'APPROVAL_MISMATCH']);
        expect(kinds).toEqual(['trace', 'review', 'correction']);
      }
    }
  });

  test('another status by a person: before it, or refused', async () => {
    for (const round of ROUNDS) {
      const { traceId, mongoId } = await approve();
      const body = { ids: [mongoId], status: 'blocked' };
      const [claimed, set] = await race(
        round,
        () => claim(traceId),
        () => app.call('POST', '/api/v1/traces/bulk-status', { token: ada.token, body }),
      );
      assertOk(set);
      const kinds = await kindsOf(traceId);
      if (claimed.status === 201) expect(kinds).toEqual(['trace', 'review', 'execution', 'status']);
      else {
        expect(toOutcome(claimed)).toEqual([403, 'APPROVAL_REJECTED']);
        expect(kinds).toEqual(['trace', 'review', 'status']);
      }
    }
  });

  test('an erasure: before it, with an outcome that still counts, or not found', async () => {
    for (const round of ROUNDS) {
      const { traceId, mongoId } = await approve();
      const body = { ids: [mongoId] };
      const [claimed, erased] = await race(
        round,
        () => claim(traceId),
        () => app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }),
      );
      assertOk(erased);
      if (claimed.status === 201)
        assertOk(await end(traceId, claimed.body.data.executionId, 'succeeded'));
      else expect(toOutcome(claimed)).toEqual([404, 'NOT_FOUND']);
      expect((await kindsOf(traceId)).filter((kind) => kind === 'execution')).toHaveLength(
        claimed.status === 201 ? 2 : 0,
      );
    }
    expect(await verify()).toBe(true);
  });

  test('its verdict: after it, or pending', async () => {
    for (const round of ROUNDS) {
      const { traceId, reviewId } = await propose();
      const [claimed, decided] = await race(
        round,
        () => claim(traceId),
        () => decide(reviewId, { decision: 'approve' }),
      );
      assertOk(decided);
      if (claimed.status !== 201) {
        expect(toOutcome(claimed)).toEqual([403, 'APPROVAL_PENDING']);
        assertOk(await claim(traceId));
      }
      expect(await kindsOf(traceId)).toEqual(['trace', 'review', 'execution']);
    }
  });
});

test('a withdrawal while a reviewer decides: one of them, and a claim only after an approval', async () => {
  for (const round of ROUNDS) {
    const { traceId, reviewId } = await propose();
    const [withdrawn, decided] = await race(
      round,
      () => app.call('POST', `/api/v1/traces/${traceId}/withdraw`, { key: till.key, body: {} }),
      () => decide(reviewId, { decision: 'approve' }),
    );
    const outcomes = [withdrawn, decided].map(({ status }) => status === 200);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    const loser = outcomes[0] ? decided : withdrawn;
    expect(toOutcome(loser)).toEqual([409, 'REVIEW_ENDED']);
    const claimed = await claim(traceId);
    if (outcomes[0]) expect(toOutcome(claimed)).toEqual([403, 'APPROVAL_REJECTED']);
    else assertOk(claimed);
  }
});

test('an outcome and the end of its lease: the outcome is the last word', async () => {
  for (const round of ROUNDS) {
    const { traceId } = await approve();
    const { executionId } = assertOk(await claim(traceId, { leaseSeconds: 1 })).body.data;
    ahead += 2_000;
    const [ended] = await race(
      round,
      () => end(traceId, executionId, 'failed'),
      () => app.instance.runJobsOnce(),
    );
    expect(assertOk(ended).body.data.state).toBe('failed');
    await app.instance.runJobsOnce();
    const list = await app.call('GET', `/api/v1/traces/${traceId}/executions`, { key: till.key });
    expect(assertOk(list).body.data).toMatchObject([{ executionId, state: 'failed' }]);
  }
});

test('a clock that is set ends a lease early or late, and nothing is handed out again', async () => {
  const { traceId } = await approve();
  const { executionId } = assertOk(await claim(traceId)).body.data;
  const state = async (): Promise<string> =>
    assertOk(await app.call('GET', `/api/v1/traces/${traceId}/executions`, { key: till.key })).body
      .data[0].state;
  ahead += 700_000;
  await app.instance.runJobsOnce();
  expect(await state()).toBe('unknown');
  ahead -= 700_000;
  await app.instance.runJobsOnce();
  expect(toOutcome(await claim(traceId))).toEqual([409, 'APPROVAL_USED']);
  assertOk(await end(traceId, executionId, 'succeeded'));
  expect(await state()).toBe('succeeded');
});

describe('edits as an attacker writes them', () => {
  const approveRaw = (
    { reviewId, actionDigest }: { reviewId: string; actionDigest: string },
    edits: string,
  ) =>
    app.call('POST', `/api/v1/review-queue/${reviewId}/decision`, {
      token: ada.token,
      raw: `{"decision":"approve","actionDigest":"${actionDigest}","edits":${edits}}`,
    });
  const nest = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  test.each([
    ['a prototype', '{"__proto__":{"amount":90}}'],
    ['a prototype deeper down', '{"a":{"__proto__":null}}'],
    ['too many levels', nest(40)],
    ['thousands of levels', nest(2_000)],
    ['an infinite number', '{"amount":1e400}'],
    ['an integer that is not exact', '{"amount":9007199254740993}'],
    ['half a character', '{"note":"\\ud800"}'],
    ['a zero byte', '{"note":"a\\u0000b"}'],
  ])('%s is refused, and the item stays pending', async (_name, edits) => {
    const held = await propose();
    expect(toOutcome(await approveRaw(held, edits))).toEqual([400, 'VALIDATION_ERROR']);
    assertOk(await decide(held.reviewId, { decision: 'approve' }));
  });

  test.each<[name: string, edits: string, edited: Json]>([
    [
      'names of prototypes are names',
      '{"constructor":{"prototype":{"amount":1}},"toString":null}',
      {
        ...action,
        constructor: { prototype: { amount: 1 } },
      },
    ],
    [
      'of duplicate keys the last one counts',
      '{"amount":1,"amount":90}',
      { ...action, amount: 90 },
    ],
    [
      'null removes what is there',
      '{"amount":null,"more":{"b":1}}',
      { tool: 'refund', more: { b: 1 } },
    ],
    ['minus zero is zero', '{"amount":-0}', { ...action, amount: 0 }],
  ])('%s', async (_name, edits, edited) => {
    const held = await propose();
    assertOk(await approveRaw(held, edits));
    const claimed = await claim(held.traceId, { editedActionDigest: digest(edited), action });
    expect(assertOk(claimed).body.data.state).toBe('claimed');
    expect(({} as Record<string, unknown>)['amount']).toBeUndefined();
  });
});

test('while 2,000 of one organisation wait, and the next is refused, another waits and is woken', async () => {
  const platform = { ...app.instance.platform };
  const [mine, hers] = [await propose(), await theirs.hold()];
  const ends = Array.from({ length: 2_000 }, () => new AbortController());
  const wanted = { organizationId: ada.organizationId, traceId: mine.traceId, seconds: 55 };
  const crowd = ends.map(({ signal }) => awaitVerdict(platform, { ...wanted, signal }));
  await expect(awaitVerdict(platform, wanted)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  const other = awaitVerdict(platform, {
    organizationId: eve.organizationId,
    traceId: hers.traceId,
    seconds: 55,
  });
  assertOk(await theirs.decide(hers.id, { decision: 'approve' }));
  await other;
  expect(countWaiting(platform)).toBe(2_000);
  for (const end of ends) end.abort();
  await Promise.all(crowd);
  expect(countWaiting(platform)).toBe(0);
});
