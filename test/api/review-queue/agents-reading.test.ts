// An agent reads the verdict on its decision, and executes approved actions only (docs/guides/reviews.md).
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createAgent, createFeedbackKey, assertOk } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import { useReviews } from './review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide, read } = useReviews(harness, ada);
let till: { id: string; key: string };
let clerk: { id: string; key: string };
beforeAll(async () => {
  [till, clerk] = [await createAgent(app, ada), await createAgent(app, ada)];
});

const ask = (id: string, key = till.key, query = ''): Promise<Answer> =>
  app.call('GET', `/api/v1/traces/${id}${query}`, { key });
const action = { tool: 'refund', amount: 120 };
const actionDigest = createHash('sha256').update(canonicalize(action)).digest('hex');

test('an agent reads its own decision, by either name, and its receipt once there is a verdict', async () => {
  const { id, traceId, mongoId } = await hold({ agentId: till.id }, till.key);
  expect(assertOk(await ask(traceId)).body.data.review).toEqual({
    _id: id,
    status: 'pending',
    priority: 'medium',
    slaDeadline: null,
    expiresAt: null,
    actionDigest,
    decidedAt: null,
    decidedBy: null,
    reason: null,
    receipt: null,
    edits: null,
  });
  const { receipt } = assertOk(await decide(id, { decision: 'approve', actionDigest })).body.data;
  const { data } = assertOk(await ask(mongoId)).body;
  expect(data).toMatchObject({ traceId, status: 'approved', review: { status: 'approved' } });
  expect(data.review.receipt).toEqual(receipt);
  expect(receipt.actionDigest).toBe(actionDigest);
  const entry = await harness.db
    .collection('ledger')
    .findOne({ organizationId: toObjectId(ada.organizationId), sequence: receipt.sequence });
  expect(entry?.chainHash).toBe(receipt.chainHash);
});

test('an agent reads no other decisions and no other resources', async () => {
  const { traceId, mongoId } = await hold({ agentId: till.id }, till.key);
  expect(toOutcome(await ask(traceId, clerk.key))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await ask(mongoId, clerk.key))).toEqual([404, 'NOT_FOUND']);
  expect((await read(traceId)).status).toBe(200);
  for (const path of ['traces', 'review-queue', `traces/${mongoId}/ml-bom`])
    expect(toOutcome(await app.call('GET', `/api/v1/${path}`, { key: till.key }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
});

test('a waiting request is answered with the verdict', async () => {
  const { id, traceId } = await hold({ agentId: till.id }, till.key);
  const waiting = ask(traceId, till.key, '?wait=15');
  assertOk(await decide(id, { decision: 'reject' }));
  expect(assertOk(await waiting).body.data).toMatchObject({
    status: 'blocked',
    review: { status: 'rejected' },
  });
  const pending = await hold({ agentId: till.id }, till.key);
  const late = assertOk(await ask(pending.traceId, till.key, '?wait=1')).body.data;
  expect(late.review.status).toBe('pending');
  expect(toOutcome(await ask(traceId, till.key, '?wait=56'))).toEqual([400, 'VALIDATION_ERROR']);
});

test('reading does not count against the ingestion limit of an agent', async () => {
  const body = { maxRequestsPerMinute: 2 };
  const { token } = ada;
  assertOk(await app.call('PATCH', `/api/v1/agents/${clerk.id}/policies`, { token, body }));
  const { traceId } = await hold({ agentId: clerk.id }, clerk.key);
  for (let times = 0; times < 5; times++) assertOk(await ask(traceId, clerk.key));
});

test('claims and outcomes of decisions do not count against the limit of an agent either', async () => {
  const body = { maxRequestsPerMinute: 2 };
  const path = `/api/v1/agents/${clerk.id}/policies`;
  assertOk(await app.call('PATCH', path, { token: ada.token, body }));
  const claims = [];
  for (let times = 0; times < 5; times++)
    claims.push(
      await app.call('POST', '/api/v1/traces/trc_unknown/executions', {
        key: clerk.key,
        body: { rawActionDigest: 'a'.repeat(64) },
      }),
    );
  expect(claims.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});

test('an approved decision has no review, and a list shows none', async () => {
  const { mongoId } = await hold({ outputDecision: { action: 'reply' } });
  expect((await read(mongoId)).body.data.review).toBeNull();
  const { data } = (await app.call('GET', '/api/v1/traces', { token: ada.token })).body;
  expect('review' in data[0]).toBe(false);
});

test('an approval says that its action was corrected afterwards, to the agent and in the queue', async () => {
  const { id, traceId, mongoId } = await hold({ agentId: till.id }, till.key);
  const approved = assertOk(await decide(id, { decision: 'approve', actionDigest })).body.data;
  expect(approved).not.toHaveProperty('superseded');
  expect(assertOk(await ask(traceId)).body.data.review).not.toHaveProperty('superseded');
  const key = await createFeedbackKey(app, ada);
  const body = { traceId, correctedDecision: { tool: 'refund', amount: 12 } };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body }));
  for (const query of ['', '?wait=1']) {
    const { review } = assertOk(await ask(mongoId, till.key, query)).body.data;
    expect(review).toMatchObject({ status: 'approved', superseded: true });
    expect(review.actionDigest).not.toBe(review.receipt.actionDigest);
  }
  const queue = await app.call('GET', '/api/v1/review-queue', { token: ada.token });
  const listed = assertOk(queue).body.data.find(({ _id }: { _id: string }) => _id === id);
  expect(listed).toMatchObject({ status: 'approved', superseded: true });
});
