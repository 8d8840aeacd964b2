// Whose verdict counts, over HTTP: persons and keys that were minted for feedback, never a key that ingests (cpi.md).
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { resetVerdictCounts } from '../../../src/decisions/cpi/verdicts.migration.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import {
  createAgent,
  createFeedbackKey,
  createWorkspaceKey,
  buildDecision,
  assertOk,
} from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
/** The agent's own key, which is limited to its decisions. */
let ownKey: string;
let feedbackKey: string;
let agentId: string;
let policyId: string;
beforeAll(async () => {
  ({ id: agentId } = await createAgent(app, ada, 'Till'));
  ({ key: ownKey } = await createWorkspaceKey(app, ada, { scope: { agentIds: [agentId] } }));
  feedbackKey = await createFeedbackKey(app, ada);
  const body = {
    name: 'Refunds',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'refund' }],
    actions: [{ type: 'flag_for_review' }],
  };
  policyId = assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body })).body
    .data._id;
});

async function hold(): Promise<string> {
  const body = buildDecision(agentId, {
    outputDecision: { action: { tool: 'refund', amount: 40 } },
  });
  return assertOk(await app.call('POST', '/api/v1/traces', { key: ownKey, body })).body.data
    .traceId;
}
const feed = (key: string, traceId: string, more: object = {}): Promise<Answer> => {
  const body = Object.assign({ traceId, action: 'approve', userEmail: ada.email }, more);
  return app.call('POST', '/api/v1/cpi/ingest', { key, body });
};
const read = async (path: string) => {
  await app.instance.runJobsOnce();
  return assertOk(await app.call('GET', `/api/v1${path}`, { token: ada.token })).body.data;
};
/** Returns the verdicts that the measures count. */
async function counts() {
  const { judged } = await read('/cpi');
  const [pattern] = await read('/cpi/patterns');
  const { policies } = await read('/policies/effectiveness');
  const measured = policies.find((one: { policyId: string }) => one.policyId === policyId);
  const { sampleSize } = await read('/cpi/analytics');
  return {
    falseFlags: judged.falseFlags,
    approvals: pattern?.approvals ?? 0,
    falsePositives: measured?.falsePositives ?? 0,
    sampleSize,
  };
}

test('what the key of an agent says of its own decisions is recorded and counts for nothing', async () => {
  const traceId = await hold();
  const before = await counts();
  const { data } = assertOk(await feed(ownKey, traceId)).body;
  expect(data).toMatchObject({ repeated: false, counted: false, claimedBy: ada.email });
  assertOk(await feed(ownKey, await hold(), { action: 'correct', correctedDecision: 'none' }));
  expect(await counts()).toEqual(before);
  const entry = await harness.db.collection('ledger').findOne({ traceId, kind: 'correction' });
  expect(JSON.parse(entry?.view as string).actor.kind).toBe('workspaceKey');
  expect(JSON.stringify(await read('/traces?limit=5'))).not.toContain(ada.userId);
});

test('a key that is not limited to the agent counts as little', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const before = await counts();
  expect(assertOk(await feed(key, await hold())).body.data.counted).toBe(false);
  expect(await counts()).toEqual(before);
});

test('a key that was minted for feedback counts, also for what the agent had claimed before', async () => {
  const traceId = await hold();
  const before = await counts();
  assertOk(await feed(ownKey, traceId));
  const said = assertOk(await feed(feedbackKey, traceId)).body.data;
  expect(said).toMatchObject({ repeated: false, counted: true });
  expect(assertOk(await feed(feedbackKey, traceId)).body.data.repeated).toBe(true);
  expect(assertOk(await feed(ownKey, traceId)).body.data).toMatchObject({
    repeated: true,
    counted: false,
  });
  expect(await counts()).toEqual({
    falseFlags: before.falseFlags + 1,
    approvals: before.approvals + 1,
    falsePositives: before.falsePositives + 1,
    sampleSize: before.sampleSize + 1,
  });
  const verify = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(assertOk(verify).body.data.ok).toBe(true);
});

test('a person counts, and the agent can neither forestall nor take back the verdict', async () => {
  const traceId = await hold();
  const before = await counts();
  assertOk(await feed(ownKey, traceId));
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  const path = `/api/v1/review-queue/${String(stored?.review._id)}/decision`;
  assertOk(await app.call('POST', path, { token: ada.token, body: { decision: 'approve' } }));
  assertOk(await feed(ownKey, traceId, { action: 'correct', correctedDecision: 'other' }));
  expect(await counts()).toMatchObject({
    falseFlags: before.falseFlags + 1,
    approvals: before.approvals + 1,
  });
});

test('a key for feedback ingests nothing, for no agent, and stays what it is', async () => {
  const body = buildDecision(agentId);
  expect(toOutcome(await app.call('POST', '/api/v1/traces', { key: feedbackKey, body }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  const keys = '/api/v1/auth/keys';
  const mint = (more: object): Promise<Answer> =>
    app.call('POST', keys, { token: ada.token, body: { name: 'feedback', ...more } });
  const made = assertOk(await mint({ capabilities: ['feedback'] })).body.data;
  expect(made.capabilities).toEqual(['feedback']);
  const change = (more: object): Promise<Answer> =>
    app.call('PATCH', `${keys}/${made._id}`, { token: ada.token, body: more });
  expect(toOutcome(await change({ capabilities: [] }))).toEqual([400, 'VALIDATION_ERROR']);
  expect(assertOk(await change({ name: 'renamed' })).body.data.capabilities).toEqual(['feedback']);
  const ordinary = assertOk(await mint({})).body.data;
  expect(ordinary).not.toHaveProperty('capabilities');
  const both = { capabilities: ['feedback'], scope: { readOnly: true } };
  for (const wrong of [both, { capabilities: ['verdict'] }, { capabilities: 'feedback' }])
    expect(toOutcome(await mint(wrong)), JSON.stringify(wrong)).toEqual([400, 'VALIDATION_ERROR']);
});

test('verdicts of keys that earlier versions counted are recounted', async () => {
  const organizationId = toObjectId(ada.organizationId);
  const before = await counts();
  await harness.db
    .collection('cpi_days')
    .updateOne({ organizationId }, { $inc: { 'judged.falseFlags': 7 } });
  await harness.db
    .collection('decision_patterns')
    .updateOne({ organizationId }, { $inc: { approvals: 30 } });
  expect(await counts()).not.toMatchObject(before);
  await resetVerdictCounts(app.instance.platform.connection);
  const after = await counts();
  expect(after).toEqual({ ...before, approvals: 0 });
});
