// Feedback over HTTP: its effects on the decision, its entry, its repetition (document 2, section 4.6).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, toObjectId } from '../../setup/harness.ts';
import {
  createAgent,
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
} from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const rationale = 'The parcel was lost, so the money goes back as agreed with the customer.';

async function post(more: object = {}): Promise<{ traceId: string; id: string }> {
  const outputDecision = { action: { tool: 'refund', amount: 120 }, rationale };
  const body = buildDecision('till', { outputDecision, metadata: { order: 7 }, ...more });
  const { traceId } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data;
  const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  return { traceId, id: String(stored?._id) };
}
const ingest = (body: object, by = key): Promise<Answer> =>
  app.call('POST', '/api/v1/cpi/ingest', { key: by, body });
const read = async (id: string) =>
  assertOk(await app.call('GET', `/api/v1/traces/${id}`, { token: ada.token })).body.data;
const entriesOf = (traceId: string) =>
  harness.db.collection('ledger').find({ traceId }).sort({ sequence: 1 }).toArray();

test('an approval stores success, no override, the approver and the time', async () => {
  const { traceId, id } = await post();
  const answer = assertOk(await ingest({ traceId, action: 'approve', userEmail: ada.email }));
  const [, entry] = await entriesOf(traceId);
  const hashChain = { sequence: entry?.sequence, chainHash: entry?.chainHash };
  expect(answer.body.data).toEqual({
    traceId,
    action: 'approve',
    status: 'success',
    humanOverride: false,
    repeated: false,
    counted: false,
    claimedBy: ada.email,
    hashChain,
  });
  const trace = await read(id);
  expect(trace).toMatchObject({ status: 'success', humanOverride: false, rationale });
  expect(trace.metadata).toEqual({
    order: 7,
    approvedBy: expect.not.stringContaining(ada.email),
    approvedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const view = JSON.parse(entry?.view as string);
  expect(view).toMatchObject({
    kind: 'correction',
    action: 'approve',
    actor: { kind: 'workspaceKey' },
    set: { status: 'success', humanOverride: false },
  });
  expect(Object.keys(view.commitments).sort()).toEqual(['feedback', 'metadata']);
  const [logged] = await listAuditEntries(app, ada, 'action=cpi.approved');
  const claimed = { userEmail: ada.email, claimedBy: ada.email };
  expect(logged).toMatchObject({ resourceId: traceId, metadata: claimed });
});

test('a correction stores the override, the new and old decision, notes and marker', async () => {
  const { traceId, id } = await post();
  const correctedDecision = { tool: 'credit', note: 'for bob@example.com' };
  const feedbackNotes = 'Too much for carol@example.com';
  assertOk(await ingest({ traceId: id, correctedDecision, feedbackNotes }));
  const trace = await read(id);
  expect(trace).toMatchObject({ status: 'success', humanOverride: true, metadata: { order: 7 } });
  const { outputDecision } = trace;
  expect(outputDecision).toEqual({
    action: { tool: 'refund', amount: 120 },
    rationale,
    decision: { tool: 'credit', note: expect.stringMatching(/^for \[/) },
    originalDecision: { tool: 'refund', amount: 120 },
    correctionNotes: expect.stringMatching(/^Too much for \[/),
  });
  expect(trace.rationale).toBe(
    `[HUMAN CORRECTION: ${outputDecision.correctionNotes}] ${rationale}`,
  );
  const text = JSON.stringify(await entriesOf(traceId));
  expect(text).not.toMatch(/bob@|carol@/);
  expect((await listAuditEntries(app, ada, 'action=cpi.corrected'))[0]).toMatchObject({
    resourceId: traceId,
  });
});

test('a second correction keeps the first as the old one, with one marker', async () => {
  const { traceId, id } = await post();
  assertOk(await ingest({ traceId, correctedDecision: 'first', feedbackNotes: 'one' }));
  assertOk(await ingest({ traceId, correctedDecision: 'second' }));
  const { outputDecision, rationale: marked } = await read(id);
  expect(outputDecision).toMatchObject({ decision: 'second', originalDecision: 'first' });
  expect(marked).toBe(`[HUMAN CORRECTION: second] ${rationale}`);
});

test('a second correction without notes drops the old notes, and a repetition is recorded once', async () => {
  const { traceId, id } = await post();
  assertOk(await ingest({ traceId, correctedDecision: 'first', feedbackNotes: 'one' }));
  const again = { traceId, correctedDecision: 'second' };
  expect(assertOk(await ingest(again)).body.data.repeated).toBe(false);
  expect(assertOk(await ingest(again)).body.data.repeated).toBe(true);
  const { outputDecision } = await read(id);
  expect(outputDecision).toMatchObject({ decision: 'second', originalDecision: 'first' });
  expect(outputDecision).not.toHaveProperty('correctionNotes');
});

test('approver and time come from the newest feedback, never from the agent or earlier feedback', async () => {
  const claim = { approvedBy: 'The owner', approvedById: ada.userId, approvedAt: '2026-01-01' };
  const { traceId, id } = await post({ metadata: Object.assign({ order: 7 }, claim) });
  const approval = { traceId, action: 'approve' };
  expect(assertOk(await ingest(approval)).body.data.repeated).toBe(false);
  expect(assertOk(await ingest(approval)).body.data.repeated).toBe(true);
  const approvedAt = expect.stringMatching(/T.*Z$/);
  expect((await read(id)).metadata).toEqual({ order: 7, approvedAt });
  const correction = { traceId, correctedDecision: 'other', userEmail: ada.email };
  assertOk(await ingest(correction));
  const { metadata } = await read(id);
  expect(metadata).toEqual({ order: 7, approvedBy: expect.not.stringContaining(ada.email) });
  expect(metadata).not.toHaveProperty('approvedAt');
});

test('repeated feedback, also concurrent, is recorded once', async () => {
  const { traceId } = await post();
  const body = { traceId, correctedDecision: { b: 1, a: 2 }, feedbackNotes: 'twice' };
  const answers = await Promise.all([ingest(body), ingest(body), ingest(body)]);
  expect(answers.map((answer) => assertOk(answer).body.data.repeated).sort()).toEqual([
    false,
    true,
    true,
  ]);
  expect(await entriesOf(traceId)).toHaveLength(2);
  assertOk(await ingest({ traceId, action: 'approve' }));
  expect(assertOk(await ingest({ traceId, action: 'approve' })).body.data.repeated).toBe(true);
  expect(assertOk(await ingest(body)).body.data.repeated).toBe(false);
  expect(await entriesOf(traceId)).toHaveLength(4);
  const corrected = await listAuditEntries(app, ada, `action=cpi.corrected&resourceId=${traceId}`);
  const repeats = corrected.map(({ metadata }) => (metadata as { repeated: boolean }).repeated);
  expect(repeats.sort()).toEqual([false, false, true, true]);
});

test('a correction is kept also where payloads are not', async () => {
  const agent = await createAgent(app, ada);
  const path = `/api/v1/agents/${agent.id}/policies`;
  assertOk(await app.call('PATCH', path, { token: ada.token, body: { logPayloads: false } }));
  const { traceId, id } = await post({ agentId: agent.id });
  assertOk(await ingest({ traceId, correctedDecision: 'other' }));
  const { outputDecision, rationale: marked } = await read(id);
  expect(outputDecision).toEqual({ decision: 'other', originalDecision: null });
  expect(marked).toBe('[HUMAN CORRECTION: other]');
});

test.each([
  ['no traceId', { correctedDecision: 'x' }],
  ['nothing said', { traceId: 'trc_1' }],
  ['correct without a decision', { traceId: 'trc_1', action: 'correct' }],
  ['an approved correction', { traceId: 'trc_1', action: 'approve', correctedDecision: 'x' }],
  ['another action', { traceId: 'trc_1', action: 'reject', correctedDecision: 'x' }],
  ['a decision that is too large', { traceId: 'trc_1', correctedDecision: 'x'.repeat(11_000) }],
  [
    'notes that are too long',
    { traceId: 't', correctedDecision: 'x', feedbackNotes: 'x'.repeat(2001) },
  ],
  ['no address', { traceId: 'trc_1', action: 'approve', userEmail: 'ada' }],
])('%s is refused', async (_, body) => {
  expect(toOutcome(await ingest(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('does not find an unknown, a deleted or another organisation’s decision', async () => {
  const eve = await createOwner(app, 'Eve');
  const { key: hers } = await createWorkspaceKey(app, eve);
  const { traceId, id } = await post();
  for (const named of [traceId, id])
    expect(toOutcome(await ingest({ traceId: named, action: 'approve' }, hers))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  expect(toOutcome(await ingest({ traceId: 'trc_0', action: 'approve' }))).toEqual([
    404,
    'NOT_FOUND',
  ]);
  const body = { ids: [id] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  expect(toOutcome(await ingest({ traceId, action: 'approve' }))).toEqual([404, 'NOT_FOUND']);
});

test('deleting a decision deletes its feedback', async () => {
  const { traceId, id } = await post();
  assertOk(await ingest({ traceId, correctedDecision: 'Zebra', feedbackNotes: 'Zebra' }));
  const body = { ids: [id] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  expect(JSON.stringify(await entriesOf(traceId))).not.toContain('Zebra');
});

test('feedback needs a plan that includes it', async () => {
  const eve = await createOwner(app, 'Sandbox');
  const { key: hers } = await createWorkspaceKey(app, eve);
  const owned = { _id: toObjectId(eve.organizationId) };
  const change = { $set: { 'subscription.plan': 'governance' } };
  await harness.db.collection('organizations').updateOne(owned, change);
  let answer = await ingest({ traceId: 'trc_1', action: 'approve' }, hers);
  while (answer.status === 404)
    answer = await ingest({ traceId: 'trc_1', action: 'approve' }, hers);
  expect(toOutcome(answer)).toEqual([403, 'UPGRADE_REQUIRED']);
});

test('the chain verifies after all feedback', async () => {
  const { token } = ada;
  const { data } = assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token })).body;
  expect([data.verified, data.brokenDetail]).toEqual([true, null]);
});
