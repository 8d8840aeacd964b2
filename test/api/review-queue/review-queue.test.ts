// The review queue over HTTP: what is listed, who decides, what a verdict is bound to (document 2, section 4.3).
import { decideReview } from '../../../src/decisions/traces/review/review-decisions.service.ts';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import { createAgent, createOwner, assertOk } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { useReviews } from './review-queue-stage.ts';

const harness = useHarness({ ASSAY_DB_POOL: '32' });
const { app } = harness;
const ada = useOwner(harness);
const { hold, list, decide, decideAll, read, entriesOf, verify } = useReviews(harness, ada);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const refund = { tool: 'refund', amount: 120 };
const digest = sha256(canonicalize(refund));
const UNKNOWN_ID = '0123456789abcdef01234567';

test('the queue lists held decisions, newest first, and no approved ones', async () => {
  const agent = await createAgent(app, ada, 'Till');
  const prompt = 'Write to ada@example.com about order 7';
  const rationale = 'The parcel was lost, so the money goes back as agreed.';
  const first = await hold();
  const own = await hold({
    agentId: agent.id,
    inputContext: { prompt },
    outputDecision: { action: refund, rationale },
  });
  await hold({ outputDecision: { action: 'reply' } });
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body).toMatchObject({ success: true, count: 2, total: 2, limit: 500, truncated: false });
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([own.id, first.id]);
  expect(body.data[0]).toEqual({
    _id: own.id,
    id: own.id,
    traceId: own.traceId,
    traceIdMongo: own.mongoId,
    agentId: { _id: agent.id, name: 'Till' },
    agentIdStr: agent.id,
    action: canonicalize(refund),
    actionDigest: digest,
    confidence: expect.any(Number),
    priority: 'medium',
    status: 'pending',
    workflowStep: 1,
    assignedTo: null,
    escalatedAt: null,
    escalatedTo: null,
    escalationReason: null,
    slaDeadline: null,
    overdue: false,
    expiresAt: null,
    lastAskedAt: null,
    callerWaits: null,
    context: {
      inputContext: { prompt: expect.stringMatching(/^Write to \[.+\] about order 7$/) },
      rationale,
      triggeringCondition: 'message',
      tags: expect.arrayContaining(['PII_EMAIL']),
      matchedPolicy: { name: 'Refunds', reason: 'Refunds are looked at' },
    },
    payload: { action: refund, rationale },
    decision: null,
    decidedAt: null,
    decidedBy: null,
    reason: null,
    notes: null,
    via: null,
    edits: null,
    receipt: null,
    organizationId: ada.organizationId,
    workspaceId: ada.workspaceId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(body.data[1]).toMatchObject({ agentId: null, agentIdStr: 'till' });
});

test.each([
  ['approve', 'approved', 'approved', false],
  ['reject', 'rejected', 'blocked', true],
] as const)(
  '%s: the item is %s, the decision %s, and the entry names the state that was seen',
  async (verdict, state, status, humanOverride) => {
    const { id, traceId, mongoId } = await hold();
    const words = { reason: 'As agreed with bob@example.com', notes: 'Seen.\nTwice.' };
    const { body } = assertOk(
      await decide(id, { decision: verdict, ...words, actionDigest: digest }),
    );
    const [ingested, entry] = await entriesOf(traceId);
    expect(body.data).toMatchObject({
      id,
      status: state,
      decision: verdict,
      decidedBy: ada.userId,
      decidedAt: expect.any(String),
      reason: expect.not.stringContaining('bob@example.com'),
      notes: words.notes,
      via: 'api',
    });
    expect((await read(mongoId)).body.data).toMatchObject({ status, humanOverride });
    const position = { sequence: ingested?.sequence, chainHash: ingested?.chainHash };
    const view = JSON.parse(entry?.view as string);
    expect(view).toMatchObject({
      kind: 'review',
      actor: { kind: 'user', id: ada.userId },
      reviewId: id,
      decision: verdict,
      set: { status, humanOverride },
      subject: position,
      after: position,
    });
    const { receipt } = body.data;
    expect(receipt).toMatchObject({
      sequence: entry?.sequence,
      chainHash: entry?.chainHash,
      actionDigest: digest,
    });
    const opened = sha256(canonicalize([receipt.salt, 'actionDigest', digest]));
    expect(view.commitments.actionDigest).toBe(opened);
    const [logged] = await listAuditEntries(app, ada, `action=review.decision&resourceId=${id}`);
    expect(logged).toMatchObject({
      status: 'success',
      resource: 'review',
      metadata: { traceId, decision: verdict, sequence: entry?.sequence },
    });
    expect((await list(`status=${state}`)).body.data[0]).toMatchObject({
      id,
      reason: body.data.reason,
      receipt,
    });
  },
);

test('a verdict is final', async () => {
  const { id, traceId } = await hold();
  assertOk(await decide(id, { decision: 'approve' }));
  for (const decision of ['approve', 'reject'])
    expect(toOutcome(await decide(id, { decision }))).toEqual([400, 'INVALID_OPERATION']);
  expect(await entriesOf(traceId)).toHaveLength(2);
  const [failure] = await listAuditEntries(app, ada, `action=review.decision&resourceId=${id}`);
  expect(failure).toMatchObject({ status: 'failure', metadata: { code: 'INVALID_OPERATION' } });
});

test('an approval is bound to the action that was looked at', async () => {
  const { id } = await hold();
  const other = sha256(canonicalize({ tool: 'refund', amount: 12_000 }));
  const answer = await decide(id, { decision: 'approve', actionDigest: other });
  expect(toOutcome(answer)).toEqual([400, 'INVALID_OPERATION']);
  assertOk(await decide(id, { decision: 'approve', actionDigest: digest }));
  const text = await hold({ outputDecision: { action: 'refund all' } });
  const ofText = { decision: 'approve', actionDigest: sha256('"refund all"') };
  expect(assertOk(await decide(text.id, ofText)).body.data.action).toBe('refund all');
});

test('a payload that is not stored is not shown, and no digest matches', async () => {
  const agent = await createAgent(app, ada);
  assertOk(
    await app.call('PATCH', `/api/v1/agents/${agent.id}/policies`, {
      token: ada.token,
      body: { logPayloads: false },
    }),
  );
  const { id } = await hold({ agentId: agent.id });
  const [item] = (await list('status=pending')).body.data;
  expect(item).toMatchObject({ id, action: null, actionDigest: null, payload: null });
  const bound = { decision: 'approve', actionDigest: digest };
  expect(toOutcome(await decide(id, bound))).toEqual([400, 'INVALID_OPERATION']);
  const { receipt } = assertOk(await decide(id, { decision: 'approve' })).body.data;
  expect(receipt).toMatchObject({ actionDigest: null, salt: null });
});

const verdictOf = (number: number): 'approve' | 'reject' =>
  number % 2 === 0 ? 'approve' : 'reject';

test(
  'one of many concurrent verdicts wins, and the others are refused',
  { tags: ['long'] },
  async () => {
    const { id, traceId } = await hold();
    const calls = Array.from({ length: 40 }, (_, number) =>
      decide(id, { decision: verdictOf(number) }),
    );
    const codes = (await Promise.all(calls)).map((answer) => toOutcome(answer).join(' '));
    expect(codes.filter((code) => code === '200 ')).toHaveLength(1);
    expect(codes.filter((code) => code === '400 INVALID_OPERATION')).toHaveLength(39);
    expect(await entriesOf(traceId)).toHaveLength(2);
  },
);

test(
  'of 1,000 verdicts on one item at the same time one is recorded',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    const { id, traceId } = await hold();
    const { platform } = app.instance;
    const tenant = {
      organizationId: ada.organizationId,
      workspaceId: null,
      defaultWorkspaceId: ada.workspaceId,
      plan: 'enterprise',
      actor: { kind: 'user', id: ada.userId },
      agentIds: null,
    } as const;
    const calls = Array.from({ length: 1000 }, (_, number) =>
      decideReview({ platform, tenant }, id, { decision: verdictOf(number) }),
    );
    const results = await Promise.allSettled(calls);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(new Set(refused.map(({ reason }) => reason.code))).toEqual(
      new Set(['INVALID_OPERATION']),
    );
    expect(refused).toHaveLength(999);
    expect(await entriesOf(traceId)).toHaveLength(2);
  },
);

test('many are decided at once: those that are decided or unknown are skipped', async () => {
  const [one, two, decided] = [await hold(), await hold(), await hold()];
  assertOk(await decide(decided.id, { decision: 'reject' }));
  const ids = [one.id, two.id.toUpperCase(), decided.id, UNKNOWN_ID, one.id];
  const { body } = assertOk(await decideAll({ ids, decision: 'approve', reason: 'All fine' }));
  expect(body.data).toMatchObject({ requested: 4, changed: 2 });
  expect(body.data.ids.sort()).toEqual([one.id, two.id].sort());
  expect((await read(one.mongoId)).body.data.status).toBe('approved');
  expect((await read(decided.mongoId)).body.data.status).toBe('blocked');
  expect((await list('status=approved')).body.data[0]).toMatchObject({ reason: 'All fine' });
  expect(toOutcome(await decideAll({ ids, decision: 'reject' }))).toEqual([404, 'NOT_FOUND']);
  const [entry] = await listAuditEntries(app, ada, 'action=review.bulk_decision&status=success');
  expect(entry).toMatchObject({ metadata: { requested: 4, changed: 2, decision: 'approve' } });
});

test('a failing verdict in a bulk decision is reported, and the others stay', async () => {
  const held = [await hold(), await hold(), await hold()] as const;
  const damaged = held[1];
  const ledger = harness.db.collection('ledger');
  const where = { traceId: damaged.traceId, kind: 'trace' };
  const intact = (await ledger.findOne(where))?.chainHash as string;
  await ledger.updateOne(where, { $set: { chainHash: 'not a hash' } });
  const ids = held.map(({ id }) => id);
  const answer = await decideAll({ ids, decision: 'approve' });
  await ledger.updateOne(where, { $set: { chainHash: intact } });
  expect(answer).toMatchObject({ status: 500, body: { success: false } });
  const statuses = held.map(
    async ({ mongoId }) => (await read(mongoId)).body.data.status as string,
  );
  expect(await Promise.all(statuses)).toEqual(['approved', 'flagged', 'approved']);
  expect(assertOk(await decideAll({ ids, decision: 'reject' })).body.data).toMatchObject({
    requested: 3,
    changed: 1,
    ids: [damaged.id],
  });
});

test.each([
  ['no ids', { decision: 'approve' }],
  ['an empty list', { ids: [], decision: 'approve' }],
  ['more than 100', { ids: Array(101).fill(UNKNOWN_ID), decision: 'approve' }],
  ['what is no id', { ids: ['1'], decision: 'approve' }],
  ['another verdict', { ids: [UNKNOWN_ID], decision: 'maybe' }],
  ['a long reason', { ids: [UNKNOWN_ID], decision: 'approve', reason: 'x'.repeat(1001) }],
])('a bulk decision with %s is refused', async (_, body) => {
  expect(toOutcome(await decideAll(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test.each([
  ['no verdict', {}],
  ['another verdict', { decision: 'maybe' }],
  ['a long reason', { decision: 'approve', reason: 'x'.repeat(1001) }],
  ['long notes', { decision: 'approve', notes: 'x'.repeat(2001) }],
  ['a malformed digest', { decision: 'approve', actionDigest: 'abc' }],
  ['another member', { decision: 'approve', actiondigest: digest }],
])('a decision with %s is refused', async (_, body) => {
  const { id } = await hold();
  expect(toOutcome(await decide(id, body))).toEqual([400, 'VALIDATION_ERROR']);
});

test.each([
  ['empty', '', ' '],
  ['null', null, null],
])('words that are %s say nothing', async (_, reason, notes) => {
  const { id } = await hold();
  const { body } = assertOk(await decide(id, { decision: 'reject', reason, notes }));
  expect(body.data).toMatchObject({ status: 'rejected', reason: null, notes: null });
});

test('an unknown status of the list is refused', async () => {
  expect(toOutcome(await list('status=open'))).toEqual([400, 'VALIDATION_ERROR']);
});

test('another organisation and another workspace do not reach it', async () => {
  const { id } = await hold();
  const eve = await createOwner(app, 'Eve');
  expect((await list('', eve)).body.total).toBe(0);
  expect(toOutcome(await decide(id, { decision: 'approve' }, eve))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await decideAll({ ids: [id], decision: 'approve' }, eve))).toEqual([
    404,
    'NOT_FOUND',
  ]);
  const body = { name: 'Other' };
  const made = await app.call('POST', '/api/v1/workspaces', { token: ada.token, body });
  const headers = { 'x-workspace-id': assertOk(made).body.data._id as string };
  const call = { token: ada.token, headers };
  expect((await app.call('GET', '/api/v1/review-queue', call)).body.total).toBe(0);
  const there = { ...call, body: { decision: 'approve' } };
  expect(toOutcome(await app.call('POST', `/api/v1/review-queue/${id}/decision`, there))).toEqual([
    404,
    'NOT_FOUND',
  ]);
});

test('owner, admin and reviewer decide; a member does not', async () => {
  for (const [role, expected] of [
    ['admin', 200],
    ['reviewer', 200],
    ['member', 403],
    ['viewer', 403],
  ] as const) {
    const person = await createMember(harness, ada, role);
    const { id } = await hold();
    expect((await decide(id, { decision: 'approve' }, person)).status, role).toBe(expected);
  }
});

test('deleting a decision removes its item and the texts of its reviewer', async () => {
  const [pending, decided] = [await hold(), await hold()];
  assertOk(
    await decide(decided.id, { decision: 'approve', reason: 'Customer Zebra asked', notes: 'z' }),
  );
  const ids = [pending.mongoId, decided.mongoId];
  assertOk(
    await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body: { ids } }),
  );
  expect(toOutcome(await decide(pending.id, { decision: 'approve' }))).toEqual([404, 'NOT_FOUND']);
  const listed = (await list()).body.data.map(({ id }: { id: string }) => id);
  expect(listed).not.toContain(pending.id);
  expect(listed).not.toContain(decided.id);
  const [, entry] = await entriesOf(decided.traceId);
  expect(entry?.sealed).toEqual({ reason: null, notes: null, actionDigest: null });
  expect(JSON.stringify(await entriesOf(decided.traceId))).not.toContain('Zebra');
});

test('the chain verifies after all of these verdicts', async () => {
  expect(await verify()).toBe(true);
});
