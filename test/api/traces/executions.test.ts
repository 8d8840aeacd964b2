// An approved action is claimed once, by the agent that proposed it, and its outcome is recorded (docs/guides/reviews.md).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createFeedbackKey,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import { type Answer, startApp, type TestApp, toOutcome } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const { decide, entriesOf, verify } = useReviews(harness, ada);
/** Another instance on the same database. */
let other: TestApp;
let till: { id: string; key: string };
beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
  till = await createAgent(app, ada);
});
afterAll(() => other.stop());

const digest = (action: Json): string =>
  createHash('sha256').update(canonicalize(action)).digest('hex');
const action = { tool: 'refund', to: 'bob@example.com', amount: 120 };
const rawActionDigest = digest(action);

interface Proposed {
  traceId: string;
  reviewId: string;
  binding: { salt: string; commitment: string };
}

async function propose(proposed: Json = action, by = till): Promise<Proposed> {
  const body = buildDecision(by.id, { outputDecision: { action: proposed } });
  return assertOk(await app.call('POST', '/api/v1/traces', { key: by.key, body })).body.data;
}

async function approve(proposed: Json = action): Promise<Proposed> {
  const held = await propose(proposed);
  assertOk(await decide(held.reviewId, { decision: 'approve' }));
  return held;
}

const claim = (
  traceId: string,
  body: object = { rawActionDigest },
  { key = till.key, on = app }: { key?: string; on?: TestApp } = {},
): Promise<Answer> => on.call('POST', `/api/v1/traces/${traceId}/executions`, { key, body });

const end = (traceId: string, executionId: string, body: object, key = till.key): Promise<Answer> =>
  app.call('PATCH', `/api/v1/traces/${traceId}/executions/${executionId}`, { key, body });

const reconcile = (
  traceId: string,
  executionId: string,
  body: object,
  { token } = ada,
): Promise<Answer> =>
  app.call('POST', `/api/v1/traces/${traceId}/executions/${executionId}/reconcile`, {
    token,
    body,
  });

const list = (traceId: string, by: object = { key: till.key }): Promise<Answer> =>
  app.call('GET', `/api/v1/traces/${traceId}/executions`, by);

async function claimApproved() {
  const { traceId } = await approve();
  const { executionId } = assertOk(await claim(traceId)).body.data;
  return { traceId, executionId: executionId as string };
}

const viewsOf = async (traceId: string) =>
  (await entriesOf(traceId)).map(({ view }) => JSON.parse(view) as Record<string, unknown>);

test('an action with personal data is approved, claimed, executed and ended', async () => {
  const { traceId, binding } = await approve();
  const claimed = await claim(traceId);
  expect(claimed.status).toBe(201);
  const { executionId, leaseUntil, claimedAt, receipts } = claimed.body.data;
  expect(Date.parse(leaseUntil) - Date.parse(claimedAt)).toBeGreaterThan(500_000);
  const outcome = { outcome: 'succeeded', resultDigest: digest('ok'), durationMs: 12 };
  const said = { ...outcome, summary: 'Paid to bob@example.com', labels: ['pii:email'] };
  const ended = assertOk(await end(traceId, executionId, said)).body.data;
  expect(ended).toMatchObject({
    executionId,
    traceId,
    state: 'succeeded',
    resultDigest: digest('ok'),
    durationMs: 12,
    labels: ['pii:email'],
    receipts: { claim: receipts.claim, outcome: { sequence: expect.any(Number) as number } },
  });
  expect(ended.summary).toMatch(/^Paid to \[/);
  expect(assertOk(await list(traceId)).body.data).toEqual([ended]);
  const [, , claimView, outcomeView] = await viewsOf(traceId);
  expect(claimView).toMatchObject({
    kind: 'execution',
    state: 'claimed',
    executionId,
    leaseUntil,
    actor: { kind: 'agentKey' },
    commitments: { rawAction: binding.commitment },
  });
  expect(outcomeView).toMatchObject({ kind: 'execution', state: 'succeeded', leaseUntil: null });
  expect(await verify()).toBe(true);
});

test('one changed byte is another action', async () => {
  const { traceId } = await approve();
  for (const changed of [
    { ...action, amount: 121 },
    { ...action, to: 'bob@example.org' },
  ])
    expect(toOutcome(await claim(traceId, { rawActionDigest: digest(changed) }))).toEqual([
      403,
      'APPROVAL_MISMATCH',
    ]);
  assertOk(await claim(traceId));
});

describe('no claim', () => {
  test('while the review is pending', async () => {
    const { traceId } = await propose();
    expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_PENDING']);
  });

  test('after a rejection', async () => {
    const { traceId, reviewId } = await propose();
    assertOk(await decide(reviewId, { decision: 'reject' }));
    expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_REJECTED']);
  });

  test('after another one', async () => {
    const { traceId } = await claimApproved();
    expect(toOutcome(await claim(traceId))).toEqual([409, 'APPROVAL_USED']);
    const wrong = { rawActionDigest: digest('x') };
    expect(toOutcome(await claim(traceId, wrong))).toEqual([403, 'APPROVAL_MISMATCH']);
  });

  test('when a person has set another status since', async () => {
    const { traceId } = await approve();
    const { _id } = (await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token })).body
      .data;
    const setStatus = (status: string) =>
      app.call('POST', '/api/v1/traces/bulk-status', {
        token: ada.token,
        body: { ids: [_id], status },
      });
    assertOk(await setStatus('blocked'));
    expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_REJECTED']);
    assertOk(await setStatus('escalated'));
    expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_PENDING']);
    assertOk(await setStatus('approved'));
    assertOk(await claim(traceId));
  });

  test('when the approved action was corrected, before the verdict or since', async () => {
    const key = await createFeedbackKey(app, ada);
    const correct = (traceId: string) =>
      app.call('POST', '/api/v1/cpi/ingest', {
        key,
        body: { traceId, correctedDecision: { tool: 'refund', amount: 12 } },
      });
    const since = await approve();
    assertOk(await correct(since.traceId));
    const before = await propose();
    assertOk(await correct(before.traceId));
    assertOk(await decide(before.reviewId, { decision: 'approve' }));
    for (const { traceId } of [since, before])
      expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_MISMATCH']);
  });

  test('after an erasure', async () => {
    const { traceId } = await approve();
    const { _id } = (await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token })).body
      .data;
    const body = { ids: [_id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    expect(toOutcome(await claim(traceId))).toEqual([404, 'NOT_FOUND']);
  });

  test('of a blocked decision', async () => {
    const body = {
      name: 'Wires',
      conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'wire' }],
      actions: [{ type: 'block' }],
    };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
    const posted = await app.call('POST', '/api/v1/traces', {
      key: till.key,
      body: buildDecision(till.id, { outputDecision: { action: 'wire' } }),
    });
    expect(posted.status).toBe(403);
    const wire = { rawActionDigest: digest('wire') };
    expect(toOutcome(await claim(posted.body.data.traceId, wire))).toEqual([
      403,
      'APPROVAL_REJECTED',
    ]);
  });
});

test('a withdrawn decision is not claimed', async () => {
  const { traceId } = await propose();
  const withdrawn = await app.call('POST', `/api/v1/traces/${traceId}/withdraw`, {
    key: till.key,
    body: {},
  });
  assertOk(withdrawn);
  expect(toOutcome(await claim(traceId))).toEqual([403, 'APPROVAL_REJECTED']);
});

test('a plain approval may be claimed as well, once', async () => {
  const { traceId } = await propose('reply');
  const body = { rawActionDigest: digest('reply') };
  expect((await claim(traceId, body)).status).toBe(201);
  expect(toOutcome(await claim(traceId, body))).toEqual([409, 'APPROVAL_USED']);
});

test('keys of another agent, workspace or organisation find nothing to claim', async () => {
  const { traceId } = await approve();
  const clerk = await createAgent(app, ada);
  const elsewhere = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'Else' } }),
  ).body.data;
  const bound = await createWorkspaceKey(app, ada, { workspaceId: elsewhere._id });
  const foreign = await createWorkspaceKey(app, eve);
  for (const key of [clerk.key, bound.key, foreign.key]) {
    expect(toOutcome(await claim(traceId, undefined, { key }))).toEqual([404, 'NOT_FOUND']);
    expect(toOutcome(await list(traceId, { key }))).toEqual([404, 'NOT_FOUND']);
  }
  const { executionId } = assertOk(await claim(traceId)).body.data;
  for (const key of [clerk.key, bound.key, foreign.key])
    expect(toOutcome(await end(traceId, executionId, { outcome: 'failed' }, key))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  const strange = await reconcile(traceId, executionId, { outcome: 'failed' }, eve);
  expect(toOutcome(strange)).toEqual([404, 'NOT_FOUND']);
  const readOnly = await createWorkspaceKey(app, ada, { scope: { readOnly: true } });
  const refused = await claim(traceId, undefined, { key: readOnly.key });
  expect(toOutcome(refused)).toEqual([403, 'FORBIDDEN']);
  const session = { token: ada.token, body: { rawActionDigest } };
  const bySession = await app.call('POST', `/api/v1/traces/${traceId}/executions`, session);
  expect(bySession.status).toBe(401);
});

for (const count of [20, 1000]) {
  const options = count === 1000 ? { tags: ['long'] } : {};
  test(`of ${count} claims on two instances one succeeds`, options, () => claimAtOnce(count));
}

async function claimAtOnce(count: number): Promise<void> {
  const { traceId } = await approve();
  const { key } = await createWorkspaceKey(app, ada);
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      claim(traceId, undefined, { key, on: at % 2 === 0 ? app : other }),
    ),
  );
  const counts = new Map<string, number>();
  for (const answer of answers) {
    const outcome = String(answer.status === 201 ? 201 : toOutcome(answer));
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual({ '201': 1, '409,APPROVAL_USED': count - 1 });
  const states = (await viewsOf(traceId)).flatMap(({ kind, state }) =>
    kind === 'execution' ? [state] : [],
  );
  expect(states).toEqual(['claimed']);
}

describe('an outcome', () => {
  test('is recorded once, and said again without another entry', async () => {
    const { traceId, executionId } = await claimApproved();
    const said = { outcome: 'failed', summary: 'Card expired', labels: ['card'] };
    const first = assertOk(await end(traceId, executionId, said)).body.data;
    expect(assertOk(await end(traceId, executionId, said)).body.data).toEqual(first);
    for (const body of [{ outcome: 'succeeded' }, { outcome: 'unknown' }, { outcome: 'failed' }])
      expect(toOutcome(await end(traceId, executionId, body))).toEqual([409, 'EXECUTION_ENDED']);
    expect(await entriesOf(traceId)).toHaveLength(4);
  });

  test('of another execution is not found', async () => {
    const [one, two] = [await claimApproved(), await claimApproved()];
    for (const id of [two.executionId, '0123456789abcdef01234567'])
      expect(toOutcome(await end(one.traceId, id, { outcome: 'failed' }))).toEqual([
        404,
        'NOT_FOUND',
      ]);
  });

  test('counts after an erasure, without its words', async () => {
    const { traceId, executionId } = await claimApproved();
    const { _id } = (await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token })).body
      .data;
    const body = { ids: [_id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    const said = { outcome: 'succeeded', summary: 'Paid', resultDigest: digest('ok') };
    const ended = assertOk(await end(traceId, executionId, said)).body.data;
    expect(ended).toMatchObject({ state: 'succeeded', summary: null, resultDigest: null });
    expect(await verify()).toBe(true);
  });

  test('is erased with its decision', async () => {
    const { traceId, executionId } = await claimApproved();
    assertOk(await end(traceId, executionId, { outcome: 'succeeded', summary: 'Paid' }));
    const { _id } = (await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token })).body
      .data;
    const body = { ids: [_id] };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
    const outcome = (await entriesOf(traceId))[3];
    expect(outcome?.sealed).toEqual({ summary: null });
    expect(await verify()).toBe(true);
  });
});

describe('a lease that ends without an outcome', () => {
  const untilEnded = async (traceId: string) => {
    await harness.db
      .collection('ledger')
      .updateOne(
        { traceId, kind: 'trace' },
        { $set: { 'execution.leaseUntil': new Date(Date.now() - 1) } },
      );
    await app.instance.runJobsOnce();
  };

  test('is recorded as unknown by the system, and never handed out again', async () => {
    const { traceId, executionId } = await claimApproved();
    await app.instance.runJobsOnce();
    expect((await list(traceId)).body.data[0].state).toBe('claimed');
    await untilEnded(traceId);
    expect((await list(traceId)).body.data).toMatchObject([{ executionId, state: 'unknown' }]);
    expect((await viewsOf(traceId)).at(-1)).toMatchObject({
      kind: 'execution',
      actor: { kind: 'system', id: null },
    });
    expect(toOutcome(await claim(traceId))).toEqual([409, 'APPROVAL_USED']);
    await app.instance.runJobsOnce();
    expect(await entriesOf(traceId)).toHaveLength(4);
  });

  test('may still get the word of the agent, or of a person', async () => {
    const [one, two] = [await claimApproved(), await claimApproved()];
    for (const { traceId } of [one, two]) await untilEnded(traceId);
    const late = await end(one.traceId, one.executionId, { outcome: 'succeeded' });
    expect(assertOk(late).body.data.state).toBe('succeeded');
    const said = { outcome: 'failed', summary: 'Never left' };
    const word = await reconcile(two.traceId, two.executionId, said);
    expect(assertOk(word).body.data).toMatchObject({ state: 'failed', summary: 'Never left' });
    const again = await reconcile(two.traceId, two.executionId, { outcome: 'succeeded' });
    expect(toOutcome(again)).toEqual([409, 'EXECUTION_ENDED']);
    expect((await viewsOf(two.traceId)).at(-1)).toMatchObject({ actor: { kind: 'user' } });
  });

  test('and an outcome before the job sees it counts', async () => {
    const { traceId, executionId } = await claimApproved();
    assertOk(await end(traceId, executionId, { outcome: 'succeeded' }));
    await untilEnded(traceId);
    expect((await list(traceId)).body.data[0].state).toBe('succeeded');
  });
});

test.each([
  {},
  { rawActionDigest: 'x' },
  { rawActionDigest: rawActionDigest.toUpperCase() },
  { rawActionDigest, leaseSeconds: 0 },
  { rawActionDigest, leaseSeconds: 86_401 },
  { rawActionDigest, rawActionDigst: 'x' },
  { rawActionDigest: [rawActionDigest] },
])('the claim %j is refused', async (body) => {
  const { traceId } = await approve();
  expect(toOutcome(await claim(traceId, body))).toEqual([400, 'VALIDATION_ERROR']);
});

test.each([
  {},
  { outcome: 'claimed' },
  { outcome: 'failed', durationMs: -1 },
  { outcome: 'failed', labels: ['two words'] },
  { outcome: 'failed', labels: Array.from({ length: 33 }, (_, at) => `l${at}`) },
  { outcome: 'failed', summary: 'x'.repeat(2001) },
  { outcome: 'failed', resultDigest: 'x' },
])('the outcome %j is refused', async (body) => {
  const { traceId, executionId } = await claimApproved();
  expect(toOutcome(await end(traceId, executionId, body))).toEqual([400, 'VALIDATION_ERROR']);
});

// Last in the file: it moves an end, which verification finds.
describe('an approval whose hold has an end', () => {
  async function approveUntil(expiresAt: Date) {
    const body = buildDecision(till.id, {
      outputDecision: { action },
      review: { expiresIn: 3600 },
    });
    const posted = await app.call('POST', '/api/v1/traces', { key: till.key, body });
    const { traceId, reviewId } = assertOk(posted).body.data as Proposed;
    assertOk(await decide(reviewId, { decision: 'approve' }));
    // The clock of the app is real: the end moves instead, which verification would find.
    const $set = { 'review.expiresAt': expiresAt };
    await harness.db.collection('ledger').updateOne({ traceId, kind: 'trace' }, { $set });
    return traceId;
  }

  test('is claimed before it, and not after', async () => {
    assertOk(await claim(await approveUntil(new Date(Date.now() + 60_000))));
    const late = await approveUntil(new Date());
    expect(toOutcome(await claim(late))).toEqual([403, 'APPROVAL_EXPIRED']);
  });

  test('says so before it says that the action is another one', async () => {
    const late = await approveUntil(new Date());
    const wrong = { rawActionDigest: digest('x') };
    expect(toOutcome(await claim(late, wrong))).toEqual([403, 'APPROVAL_EXPIRED']);
  });
});
