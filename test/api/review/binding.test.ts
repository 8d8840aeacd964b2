// The raw action is bound by a salted commitment, in the decision and in the verdict on it; neither it nor its digest is kept.
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const { decide, entriesOf, verify } = useReviews(harness, ada);
let till: { id: string; key: string };
beforeAll(async () => {
  till = await createAgent(app, ada);
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const digest = (action: Json): string => sha256(canonicalize(action));
/** As an agent computes it, from the answer and the action that it holds. */
const commit = (action: Json, salt: string): string =>
  sha256(`["${salt}","rawAction","${digest(action)}"]`);

const action = { tool: 'refund', to: 'bob@example.com', amount: 90.0, note: 'Grüße' };

function post(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return app.call('POST', '/api/v1/traces', { key: till.key, body, headers });
}
const propose = (proposed: Json, more: object = {}): Promise<Answer> =>
  post(buildDecision(till.id, { outputDecision: { action: proposed }, ...more }));

test('the answer opens the commitment to the action as it was sent, personal data and all', async () => {
  const { status, body } = await propose(action);
  expect(status).toBe(202);
  const { binding, traceId, reviewId, actionDigest, links, expiresAt } = body.data;
  expect(binding.commitment).toBe(commit(action, binding.salt));
  expect(binding.commitment).not.toBe(commit({ ...action, amount: 91 }, binding.salt));
  const [entry] = await entriesOf(traceId);
  expect(JSON.parse(entry?.view)).toMatchObject({
    commitments: { rawAction: binding.commitment },
    unstored: ['rawAction'],
  });
  expect(reviewId).toBe(String(entry?.review._id));
  expect(expiresAt).toBeNull();
  expect(links).toEqual({
    self: `/api/v1/traces/${traceId}`,
    review: `/console/review/${reviewId}`,
  });
  const read = assertOk(await app.call('GET', links.self, { key: till.key })).body.data;
  expect(actionDigest).toBe(digest(read.outputDecision.action));
  expect(actionDigest).not.toBe(digest(action));
});

test('neither the raw action nor its digest is stored', async () => {
  const { traceId, binding } = (await propose(action)).body.data;
  const [entry] = await entriesOf(traceId);
  const text = JSON.stringify(entry);
  for (const secret of [digest(action), 'bob@example.com', binding.salt])
    expect(text).not.toContain(secret);
  expect(Object.keys(entry?.sealed)).not.toContain('rawAction');
});

test('the verdict repeats the commitment, and the chain verifies', async () => {
  const { traceId, reviewId, binding } = (await propose(action)).body.data;
  assertOk(await decide(reviewId, { decision: 'approve' }));
  const [, verdict] = await entriesOf(traceId);
  expect(JSON.parse(verdict?.view).commitments.rawAction).toBe(binding.commitment);
  expect(await verify()).toBe(true);
});

test('a verdict on a corrected action does not repeat it: that action was not approved', async () => {
  const { traceId, reviewId } = (await propose(action)).body.data;
  const body = { traceId, correctedDecision: { tool: 'refund', amount: 12 } };
  const { key } = assertOk(
    await app.call('POST', '/api/v1/auth/keys', {
      token: ada.token,
      body: { name: 'feedback', capabilities: ['feedback'] },
    }),
  ).body.data;
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body }));
  assertOk(await decide(reviewId, { decision: 'approve' }));
  const verdict = (await entriesOf(traceId)).at(-1);
  expect(JSON.parse(verdict?.view)).toMatchObject({ kind: 'review' });
  expect(JSON.parse(verdict?.view).commitments).not.toHaveProperty('rawAction');
});

test.each([
  ['an approved one', 'reply', 201],
  ['a held one', 'refund', 202],
  ['a text', 'refund bob@example.com', 202],
])('%s gets the same answer again', async (_, proposed, status) => {
  const body = buildDecision(till.id, { outputDecision: { action: proposed } });
  const first = await post(body);
  expect(first.status).toBe(status);
  const again = await post(body);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([status, 'true']);
  expect(again.body.data).toEqual(first.body.data);
  expect(first.body.data.binding.commitment).toBe(commit(proposed, first.body.data.binding.salt));
});

test('another instance gives the same answer from the database', async () => {
  const body = buildDecision(till.id, { outputDecision: { action } });
  const first = await post(body);
  const { startApp } = await import('../../setup/start-app.ts');
  const other = await startApp({}, { mongoUri: harness.mongoUri });
  const again = await other.call('POST', '/api/v1/traces', { key: till.key, body });
  await other.stop();
  expect(again.body.data).toEqual(first.body.data);
});

test('large bodies are bound as well', async () => {
  const { body } = await propose(action, {
    metadata: { text: 'x'.repeat(99_000) },
    rationale: 'y'.repeat(40_000),
  });
  expect(body.data.binding.commitment).toBe(commit(action, body.data.binding.salt));
});

test('an agent that logs no payloads is bound, and shows no digest', async () => {
  const silent = await createAgent(app, ada);
  const policies = { logPayloads: false };
  const path = `/api/v1/agents/${silent.id}/policies`;
  assertOk(await app.call('PATCH', path, { token: ada.token, body: policies }));
  const body = buildDecision(silent.id, { outputDecision: { action } });
  const ask = () => app.call('POST', '/api/v1/traces', { key: silent.key, body });
  const first = await ask();
  expect(first.body.data).toMatchObject({ actionDigest: null });
  expect(first.body.data.binding.commitment).toBe(commit(action, first.body.data.binding.salt));
  expect((await ask()).body.data).toEqual(first.body.data);
});

test('an erasure takes the salt with it', async () => {
  const body = buildDecision(till.id, { outputDecision: { action } });
  const { traceId } = (await post(body)).body.data;
  const { data } = assertOk(
    await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token }),
  ).body;
  const ids = { ids: [data._id] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body: ids }));
  expect(toOutcome(await post(body))).toEqual([410, 'DECISION_ERASED']);
  const [entry] = await entriesOf(traceId);
  expect(entry?.sealed.submitted).toBeNull();
  expect(entry).not.toHaveProperty('answer');
  expect(await verify()).toBe(true);
});
