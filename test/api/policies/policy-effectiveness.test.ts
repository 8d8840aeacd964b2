// How well policies judge, over HTTP, and the auditor's view (document 2, section 4.2).
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import {
  createAgent,
  createFeedbackKey,
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
let feedbackKey: string;
let agentId: string;
let policyId: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  feedbackKey = await createFeedbackKey(app, ada);
  ({ id: agentId } = await createAgent(app, ada, 'Till'));
  const body = {
    name: 'Refunds',
    conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
    actions: [{ type: 'flag_for_review' }],
  };
  const made = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  policyId = assertOk(made).body.data._id;
});

const get = (below: string, { token }: Owner = ada): Promise<Answer> =>
  app.call('GET', `/api/v1/policies${below}`, { token });
async function post(action: string): Promise<string> {
  const body = buildDecision(agentId, { outputDecision: { action } });
  return assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data.traceId;
}
const feed = async (traceId: string, body: object): Promise<Answer> =>
  assertOk(
    await app.call('POST', '/api/v1/cpi/ingest', { key: feedbackKey, body: { traceId, ...body } }),
  );
async function review(traceId: string, verdict: string): Promise<void> {
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  const path = `/api/v1/review-queue/${String(stored?.review._id)}/decision`;
  assertOk(await app.call('POST', path, { token: ada.token, body: { decision: verdict } }));
}

test('without verdicts nothing is measured', async () => {
  const { data } = assertOk(await get('/effectiveness')).body;
  expect(data).toMatchObject({ sampleSize: 0, truncated: false, window: { days: 90 } });
  expect(data.policies).toMatchObject([
    { policyId, precision: null, recall: null, f1: null, falsePositiveRate: null },
  ]);
});

test('every verdict counts as decided, the newest of a decision alone', async () => {
  for (let number = 0; number < 3; number++) await review(await post('refund'), 'reject');
  await review(await post('refund'), 'approve');
  const missed = await post('reply');
  await feed(missed, { action: 'approve' });
  await feed(missed, { correctedDecision: 'ask' });
  for (let number = 0; number < 3; number++) await feed(await post('reply'), { action: 'approve' });
  await post('refund');
  const { data } = assertOk(await get('/effectiveness')).body;
  expect(data.sampleSize).toBe(8);
  expect(data.policies).toEqual([
    {
      policyId,
      name: 'Refunds',
      truePositives: 3,
      falsePositives: 1,
      falseNegatives: 1,
      trueNegatives: 3,
      precision: { value: 0.75, low: 0.3006, high: 0.9544, of: 4 },
      recall: { value: 0.75, low: 0.3006, high: 0.9544, of: 4 },
      f1: 0.75,
      falsePositiveRate: { value: 0.25, low: 0.0456, high: 0.6994, of: 4 },
    },
  ]);
});

test('the auditor sees the policies with their changes, matches and effectiveness', async () => {
  const body = { priority: 5 };
  assertOk(await app.call('PATCH', `/api/v1/policies/${policyId}`, { token: ada.token, body }));
  await app.instance.runJobsOnce();
  const auditor = await createMember(harness, ada, 'auditor');
  const { data } = assertOk(await get('/audit/auditor-view', auditor)).body;
  expect(data.policies).toMatchObject([
    {
      policyId,
      priority: 5,
      revisions: 2,
      lastChange: { by: ada.userId },
      matchCount: 5,
      effectiveness: { truePositives: 3, f1: 0.75 },
    },
  ]);
  expect(assertOk(await get('/effectiveness', auditor)).body.data.sampleSize).toBe(8);
});

test('only auditors and managers see the view, and only of their organisation', async () => {
  const member = await createMember(harness, ada, 'member');
  expect((await get('/audit/auditor-view', member)).status).toBe(403);
  expect((await get('/effectiveness', member)).status).toBe(200);
  for (const path of ['/effectiveness', '/audit/auditor-view'])
    expect(assertOk(await get(path, eve)).body.data).toMatchObject({ sampleSize: 0, policies: [] });
});

test('a policy that neither blocks nor flags has no false negatives', async () => {
  const mallory = await createOwner(app, 'Mallory');
  const feedback = await createFeedbackKey(app, mallory);
  const { key: hers } = await createWorkspaceKey(app, mallory);
  const create = (name: string, type: string): Promise<Answer> => {
    const conditions = [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }];
    const body = { name, conditions, actions: [{ type }] };
    return app.call('POST', '/api/v1/policies', { token: mallory.token, body });
  };
  for (const type of ['notify', 'approve', 'flag_for_review']) assertOk(await create(type, type));
  const body = buildDecision('bot', { outputDecision: { action: 'reply' } });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key: hers, body })).body
    .data;
  const missed = { traceId, correctedDecision: 'ask' };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key: feedback, body: missed }));
  const { policies } = assertOk(await get('/effectiveness', mallory)).body.data;
  const misses = policies.map(({ name, falseNegatives, recall }: Record<string, unknown>) => [
    name,
    falseNegatives,
    recall,
  ]);
  expect(misses.sort()).toEqual([
    ['approve', 0, null],
    ['flag_for_review', 1, expect.objectContaining({ value: 0 })],
    ['notify', 0, null],
  ]);
});
