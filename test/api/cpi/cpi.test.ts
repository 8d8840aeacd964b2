// The index over HTTP: scoreboard, analytics, report, and their limits (document 2, section 4.6; cpi.md).
import { beforeAll, expect, test } from 'vitest';
import { loadCpiScore } from '../../../src/decisions/cpi/cpi.service.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import {
  createAgent,
  createFeedbackKey,
  createWorkspaceKey,
  buildDecision,
  assertOk,
} from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useHarness({ ASSAY_LIMIT_CPI: '12', ASSAY_LIMIT_CPI_REPORT: '3' });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
let feedbackKey: string;
let agentId: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  feedbackKey = await createFeedbackKey(app, ada);
  ({ id: agentId } = await createAgent(app, ada, 'Till'));
  const body = {
    name: 'Refunds',
    conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
});

const get = (below = '', { token } = ada): Promise<Answer> =>
  app.call('GET', `/api/v1/cpi${below}`, { token });
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

test('an organisation without decisions has no index, and thirty days of nothing', async () => {
  const { data } = assertOk(await get('', eve)).body;
  expect(data).toMatchObject({ score: null, sampleSize: 0, minimumSample: 20, formula: 'cpi-1' });
  expect(data.averageConfidence).toEqual({ approved: null, flagged: null, blocked: null });
  expect(data.trend).toHaveLength(30);
  expect(data.trend.at(-1)).toMatchObject({ date: data.window.to.slice(0, 10), decisions: 0 });
});

test('every verdict counts where the table says, the newest of a decision alone', async () => {
  for (let number = 0; number < 12; number++)
    await feed(await post('reply'), { action: 'approve' });
  for (let number = 0; number < 4; number++) await review(await post('refund'), 'reject');
  for (let number = 0; number < 2; number++) await review(await post('refund'), 'approve');
  const missed = await post('reply');
  await feed(missed, { action: 'approve' });
  await feed(missed, { correctedDecision: 'ask', feedbackNotes: 'Too quick' });
  await feed(await post('reply'), { correctedDecision: 'ask', feedbackNotes: ' too quick' });
  await post('reply');
  await app.instance.runJobsOnce();
  const { data } = assertOk(await get()).body;
  expect(data.judged).toEqual({
    correctFlags: 4,
    falseFlags: 2,
    misses: 2,
    confirmations: 12,
    overridden: 6,
  });
  expect(data).toMatchObject({
    score: 85,
    sampleSize: 20,
    correctFlagRate: 0.6667,
    falseFlagRate: 0.3333,
    humanOverrideRate: 0.3,
    decisions: { total: 21, approved: 15, flagged: 6, blocked: 0 },
  });
  expect(data.averageConfidence.approved).toBeGreaterThan(0);
  expect(data.averageConfidence.blocked).toBeNull();
  expect(data.trend.at(-1)).toMatchObject({ decisions: 21, judged: 20, misses: 2 });
  expect(await loadCpiScore(app.instance.platform, ada.organizationId)).toBe(85);
  expect(await loadCpiScore(app.instance.platform, eve.organizationId)).toBeNull();
});

test('the analytics show agents, reasons, confidence and time to correction', async () => {
  const { data } = assertOk(await get('/analytics')).body;
  expect(data).toMatchObject({ sampleSize: 20, truncated: false });
  expect(data.agents).toEqual([
    { agentId, name: 'Till', judged: 20, overridden: 6, overrideRate: 0.3 },
  ]);
  expect(data.topReasons).toEqual([{ reason: expect.stringMatching(/too quick/i), count: 2 }]);
  const { corrected, confirmed, delta } = data.confidence;
  expect(delta).toBeCloseTo(confirmed - corrected, 4);
  expect(data.timeToCorrection[0]).toEqual({ underHours: 1, count: 6 });
  expect(data.timeToCorrection.at(-1)).toEqual({ underHours: null, count: 0 });
  // The one that was judged twice was judged twice by the same key.
  expect(data.reversed).toBe(0);
});

test('reversed: another person said the opposite; the same person, or the same words, count for nothing', async () => {
  const own = await createWorkspaceKey(app, eve);
  const [first, second] = [await createFeedbackKey(app, eve), await createFeedbackKey(app, eve)];
  const correct = { correctedDecision: 'ask', feedbackNotes: 'No' };
  const looks: [key: string, verdict: object][][] = [
    [
      [first, { action: 'approve' }],
      [second, { action: 'approve' }],
    ],
    [
      [first, { action: 'approve' }],
      [second, correct],
    ],
    [
      [first, correct],
      [first, { action: 'approve' }],
    ],
  ];
  for (const [number, verdicts] of looks.entries()) {
    const body = buildDecision('Reader', { outputDecision: { action: `reply ${number}` } });
    const posted = await app.call('POST', '/api/v1/traces', { key: own.key, body });
    const { traceId } = assertOk(posted).body.data;
    for (const [by, verdict] of verdicts)
      assertOk(
        await app.call('POST', '/api/v1/cpi/ingest', { key: by, body: { traceId, ...verdict } }),
      );
  }
  await app.instance.runJobsOnce();
  const { data } = assertOk(await get('/analytics', eve)).body;
  expect(data).toMatchObject({ sampleSize: 3, reversed: 1 });
});

test('a workspace has an index of its own', async () => {
  const body = { name: 'Other' };
  const made = await app.call('POST', '/api/v1/workspaces', { token: ada.token, body });
  const headers = { 'x-workspace-id': assertOk(made).body.data._id as string };
  const call = { token: ada.token, headers };
  expect((await app.call('GET', '/api/v1/cpi', call)).body.data.sampleSize).toBe(0);
  expect((await app.call('GET', '/api/v1/cpi/analytics', call)).body.data.sampleSize).toBe(0);
});

test('the report puts index, reviews and chain on one page', async () => {
  await post('refund');
  const { data } = assertOk(await get('/compliance-report')).body;
  expect(data).toMatchObject({
    organizationId: ada.organizationId,
    workspaceId: null,
    index: { score: 85, sampleSize: 20 },
    oversight: { pending: 1, overdue: 0, approved: 2, rejected: 4 },
    chain: { lastVerifiedAt: null, lastVerificationOk: null },
  });
  expect(data.chain.lastChainHash).toMatch(/^[0-9a-f]{64}$/);
});

test("a key that is bound to a workspace gets no report, since the chain is the organisation's", async () => {
  const bound = await createWorkspaceKey(app, ada, { workspaceId: ada.workspaceId });
  const answer = await app.call('GET', '/api/v1/cpi/compliance-report', { key: bound.key });
  expect(toOutcome(answer)).toEqual([403, 'FORBIDDEN']);
  const free = await createWorkspaceKey(app, ada);
  const report = await app.call('GET', '/api/v1/cpi/compliance-report', { key: free.key });
  expect(report.status).toBe(200);
});

test('reads are limited by reader, reports by organisation, with a code of their own', async () => {
  const bob = await createMember(harness, ada, 'viewer');
  const codes = async (below: string, who = ada, times = 12) => {
    const answers: Answer[] = [];
    for (let number = 0; number < times; number++) answers.push(await get(below, who));
    return toOutcome(answers.at(-1) as Answer);
  };
  expect(await codes('')).toEqual([429, 'RATE_LIMITED']);
  expect(toOutcome(await get('/analytics'))).toEqual([429, 'RATE_LIMITED']);
  expect((await get('', bob)).status).toBe(200);
  expect(await codes('/compliance-report', bob, 3)).toEqual([429, 'RATE_LIMITED']);
  expect((await get('/compliance-report', eve)).status).toBe(200);
});
