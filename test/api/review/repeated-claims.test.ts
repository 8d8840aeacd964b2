// A claim whose answer was lost is repeated by its holder; what is already done is not claimed at all.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashAction } from '../../../src/domain/actions/proposed-action.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createWorkspaceKey } from '../../setup/personas.ts';
import { type Answer, startApp, type TestApp, toOutcome } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const { decide, entriesOf, verify } = useReviews(harness, ada);
/** Another instance on the same database. */
let other: TestApp;
let till: { id: string; key: string };
beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
  till = await createAgent(app, ada);
});
afterAll(() => other.stop());

const action = { tool: 'refund', to: 'bob@example.com', amount: 120 };
const rawActionDigest = hashAction(action);

async function approve(more: object = {}): Promise<string> {
  const body = buildDecision(till.id, { outputDecision: { action }, ...more });
  const posted = await app.call('POST', '/api/v1/traces', { key: till.key, body });
  const { traceId, reviewId } = assertOk(posted).body.data;
  assertOk(await decide(reviewId, { decision: 'approve' }));
  return traceId;
}

interface By {
  key?: string;
  on?: TestApp;
  body?: object;
}
const claim = (traceId: string, idempotencyKey: string, by: By = {}): Promise<Answer> => {
  const { key = till.key, on = app, body = { rawActionDigest } } = by;
  const headers = { 'idempotency-key': idempotencyKey };
  return on.call('POST', `/api/v1/traces/${traceId}/executions`, { key, body, headers });
};

const countClaims = async (traceId: string): Promise<number> =>
  (await entriesOf(traceId)).filter(({ kind }) => kind === 'execution').length;

test('the same claim of the same holder gets the same answer, on any instance', async () => {
  const traceId = await approve();
  const first = await claim(traceId, 'once');
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  for (const on of [app, other]) {
    const again = await claim(traceId, 'once', { on });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.data).toEqual(assertOk(first).body.data);
  }
  expect(await countClaims(traceId)).toBe(1);
  expect(await verify()).toBe(true);
});

test('another key, another holder, other words and no key find it used', async () => {
  const traceId = await approve();
  const workspace = await createWorkspaceKey(app, ada);
  assertOk(await claim(traceId, 'once'));
  const others = [
    claim(traceId, 'twice'),
    claim(traceId, ''),
    claim(traceId, 'once', { key: workspace.key }),
    claim(traceId, 'once', { body: { rawActionDigest, leaseSeconds: 60 } }),
  ];
  for (const answer of await Promise.all(others))
    expect(toOutcome(answer)).toEqual([409, 'APPROVAL_USED']);
  const changed = { rawActionDigest: hashAction({ ...action, amount: 121 }) };
  expect(toOutcome(await claim(traceId, 'once', { body: changed }))).toEqual([
    403,
    'APPROVAL_MISMATCH',
  ]);
  expect(await countClaims(traceId)).toBe(1);
});

test('a claim without a key is not repeated, and a key does not help afterwards', async () => {
  const traceId = await approve();
  assertOk(await claim(traceId, ''));
  for (const key of ['', 'once'])
    expect(toOutcome(await claim(traceId, key))).toEqual([409, 'APPROVAL_USED']);
});

test('a repetition after the outcome, or after the lease, is no licence to do it again', async () => {
  const [ended, late, lost] = [await approve(), await approve(), await approve()];
  const { executionId } = assertOk(await claim(ended, 'once')).body.data;
  const path = `/api/v1/traces/${ended}/executions/${executionId}`;
  assertOk(await app.call('PATCH', path, { key: till.key, body: { outcome: 'failed' } }));
  expect(toOutcome(await claim(ended, 'once'))).toEqual([409, 'APPROVAL_USED']);
  for (const traceId of [late, lost]) {
    const body = { rawActionDigest, leaseSeconds: 1 };
    assertOk(await claim(traceId, 'once', { body }));
    const { leaseUntil } = assertOk(
      await app.call('GET', `/api/v1/traces/${traceId}/executions`, { key: till.key }),
    ).body.data[0];
    // The lease lasts a second of the real clock.
    await new Promise((resolve) => setTimeout(resolve, Date.parse(leaseUntil) - Date.now() + 20));
    if (traceId === lost) await app.instance.runJobsOnce();
    expect(toOutcome(await claim(traceId, 'once', { body }))).toEqual([409, 'APPROVAL_USED']);
  }
});

test(
  'of many repetitions at once, on two instances, all get the one execution',
  { tags: ['long'] },
  async () => {
    const traceId = await approve();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        claim(traceId, `key ${at % 3}`, { on: at % 2 === 0 ? app : other }),
      ),
    );
    const claimed = answers.filter(({ status }) => status === 201);
    expect(new Set(claimed.map(({ body }) => body.data.executionId)).size).toBe(1);
    expect(claimed).toHaveLength(20);
    const rest = answers.filter(({ status }) => status !== 201).map(toOutcome);
    expect(new Set(rest.map(String))).toEqual(new Set(['409,APPROVAL_USED']));
    expect(await countClaims(traceId)).toBe(1);
  },
);

test('a key is refused above 256 characters', async () => {
  const traceId = await approve();
  expect(toOutcome(await claim(traceId, 'x'.repeat(257)))).toEqual([400, 'VALIDATION_ERROR']);
  assertOk(await claim(traceId, 'x'.repeat(256)));
});

test.each([
  ['reviewed', { outputDecision: { action } }],
  ['approved', { outputDecision: { action: 'reply' } }],
])('what was observed is done, and not claimed: %s', async (_, more) => {
  const adapter = { kind: 'otlp', mode: 'observed', mapping: 'genai-2026-11' };
  const body = buildDecision(till.id, { ...more, adapter });
  const posted = await app.call('POST', '/api/v1/traces', { key: till.key, body });
  const { traceId, reviewId } = assertOk(posted).body.data;
  const digest = hashAction((more.outputDecision as { action: object }).action as never);
  const body2 = { rawActionDigest: digest };
  expect(toOutcome(await claim(traceId, 'once', { body: body2 }))).toEqual([
    409,
    'DECISION_OBSERVED',
  ]);
  if (reviewId) assertOk(await decide(reviewId, { decision: 'approve' }));
  expect(toOutcome(await claim(traceId, 'once', { body: body2 }))).toEqual([
    409,
    'DECISION_OBSERVED',
  ]);
});
