// Patterns of held decisions over HTTP: what persons keep approving, and what the service then approves where a workspace wants it (cpi.md).
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest';
import { mustGoToPerson } from '../../../src/domain/automatic-approval.ts';
import { getCommittedValues, type Stored } from '../../../src/ledger/entry.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId, openEntry } from '../../setup/harness.ts';
import {
  createAgent,
  createFeedbackKey,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  PASSWORD,
} from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';

const DAY_MS = 86_400_000;
/** How far the app's clock is behind. */
let behind = 8 * DAY_MS;
const harness = useHarness({}, { clock: { now: () => new Date(Date.now() - behind) } });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
let feedbackKey: string;
let agentId: string;
/** Token of Ada's session. */
let token: string;
beforeAll(async () => {
  ({ token } = ada);
  ({ key } = await createWorkspaceKey(app, ada));
  feedbackKey = await createFeedbackKey(app, ada);
  ({ id: agentId } = await createAgent(app, ada, 'Till'));
  const body = {
    name: 'Refunds',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'refund' }],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token, body }));
});

let posted = 0;
async function hold(amount = 40): Promise<string> {
  const action = { tool: 'refund', arguments: { amount, order: `A-${++posted}` } };
  const body = buildDecision(agentId, { outputDecision: { action } });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body;
  expect(data.status).toBe('flagged');
  return data.traceId as string;
}
const holdMany = async (count: number): Promise<string[]> => {
  const held: string[] = [];
  while (held.length < count) held.push(await hold());
  await app.instance.runJobsOnce();
  return held;
};
const feed = async (traceId: string, body: object = { action: 'approve' }): Promise<void> =>
  void assertOk(
    await app.call('POST', '/api/v1/cpi/ingest', { key: feedbackKey, body: { traceId, ...body } }),
  );
const stored = (traceId: string) =>
  harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
async function patterns(by = token) {
  await app.instance.runJobsOnce();
  return assertOk(await app.call('GET', '/api/v1/cpi/patterns', { token: by })).body.data;
}
const settle = (autoApproval: object | null) =>
  app.call('PATCH', `/api/v1/workspaces/${ada.workspaceId}`, { token, body: { autoApproval } });
async function verdict(traceId: string, said: string): Promise<void> {
  const id = String((await stored(traceId))?.review._id);
  const call = { token, body: { decision: said } };
  assertOk(await app.call('POST', `/api/v1/review-queue/${id}/decision`, call));
}

test('the setting defaults to off, is bounded, and returns what was set', async () => {
  expect(toOutcome(await settle({ approvals: 19, days: 7 }))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await settle({ approvals: 20, days: 6 }))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await settle({ approvals: 20 }))).toEqual([400, 'VALIDATION_ERROR']);
  const { data } = assertOk(await settle({ approvals: 20, days: 7 })).body;
  expect(data.autoApproval).toEqual({ approvals: 20, days: 7 });
  expect(assertOk(await settle(null)).body.data.autoApproval).toBeNull();
});

test('approvals by review and feedback count once per decision; an objection resets the count', async () => {
  const [first, second, third, other] = [await hold(), await hold(), await hold(), await hold(400)];
  await verdict(first, 'approve');
  await feed(first);
  await feed(second);
  await feed(other);
  const [larger, pattern] = await patterns();
  expect(larger).toMatchObject({ approvals: 1, exampleTraceId: other });
  expect(pattern).toMatchObject({ agentId, approvals: 2, isAutoApproved: false });
  await verdict(third, 'reject');
  expect((await patterns())[0]).toMatchObject({ approvals: 0, since: null, exampleTraceId: third });
  expect(await patterns(eve.token)).toEqual([]);
});

describe('twenty approvals and a week later', () => {
  beforeAll(async () => {
    for (const traceId of await holdMany(19)) await feed(traceId);
    await verdict(await hold(), 'approve');
    await app.instance.runJobsOnce();
    behind = 0;
    const body = { email: ada.email, password: PASSWORD };
    const { data } = assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body;
    token = data.token as string;
  });

  test('nothing happens by itself', async () => {
    for (const traceId of await holdMany(3))
      expect((await stored(traceId))?.status).toBe('flagged');
    expect((await patterns())[0]).toMatchObject({ approvals: 20, isAutoApproved: false });
  });

  test('where the workspace wants it, the service approves all but a tenth, on the chain, and says why', async () => {
    const before = assertOk(await app.call('GET', '/api/v1/cpi', { token })).body.data.judged;
    assertOk(await settle({ approvals: 20, days: 7 }));
    expect((await patterns())[0]).toMatchObject({ approvals: 20, isAutoApproved: true });
    const held = await holdMany(30);
    let approved = 0;
    for (const traceId of held) {
      const trace = await stored(traceId);
      const isLeft = mustGoToPerson({ priority: 'medium' }, trace?.chainHash as string);
      expect(trace?.status).toBe(isLeft ? 'flagged' : 'approved');
      if (!isLeft) approved++;
    }
    expect(approved).toBeGreaterThan(15);
    const entry = await harness.db
      .collection('ledger')
      .findOne({ traceId: { $in: held }, kind: 'review' });
    expect(JSON.parse(entry?.view as string)).toMatchObject({
      actor: { kind: 'system', id: null },
      decision: 'approve',
      set: { status: 'approved', humanOverride: false },
    });
    const { reason } = getCommittedValues(await openEntry(app, entry as unknown as Stored));
    expect(reason?.text).toMatch(/20 approvals in a row since/);
    const call = { token };
    expect(assertOk(await app.call('POST', '/api/v1/hash-chain/verify', call)).body.data.ok).toBe(
      true,
    );
    const index = assertOk(await app.call('GET', '/api/v1/cpi', call)).body.data;
    expect(index.judged).toEqual(before);
    const analytics = assertOk(await app.call('GET', '/api/v1/cpi/analytics', call)).body.data;
    expect(analytics.sampleSize).toBe(index.sampleSize);
    expect((await patterns())[0]).toMatchObject({ approvals: 20 });
  });

  test('while its agent is watched a person decides; what is held later is approved again', async () => {
    const admin = await createMember(harness, ada, 'admin');
    const halting = { token, body: { scope: 'agent', target: agentId, state: 'watched' } };
    const { id } = assertOk(await app.call('POST', '/api/v1/halts', halting)).body.data;
    const statusesOf = async (held: readonly string[]) =>
      Promise.all(held.map(async (traceId) => (await stored(traceId))?.status as string));
    const watched = await holdMany(8);
    expect(new Set(await statusesOf(watched))).toEqual(new Set(['flagged']));
    const resume = (by: string, body: object) =>
      app.call('POST', `/api/v1/halts/${id}/resume`, { token: by, body });
    const { resumption } = assertOk(await resume(token, { to: 'resumed' })).body.data;
    assertOk(await resume(admin.token, { to: 'resumed', confirm: resumption.digest }));
    const later = await holdMany(8);
    expect(await statusesOf(later)).toContain('approved');
    expect(new Set(await statusesOf(watched))).toEqual(new Set(['flagged']));
  });

  test('does not approve larger decisions', async () => {
    const larger = await Promise.all(Array.from({ length: 6 }, () => hold(400)));
    await app.instance.runJobsOnce();
    for (const traceId of larger) expect((await stored(traceId))?.status).toBe('flagged');
  });

  test('an objection to what the service approved ends it at once', async () => {
    const { traceId } = (await harness.db.collection('ledger').findOne({
      organizationId: toObjectId(ada.organizationId),
      kind: 'review',
      view: /"system"/,
    })) as unknown as {
      traceId: string;
    };
    await feed(traceId, { correctedDecision: 'ask first', feedbackNotes: 'wrong' });
    expect((await patterns())[0]).toMatchObject({ approvals: 0, isAutoApproved: false });
    for (const next of await holdMany(6)) expect((await stored(next))?.status).toBe('flagged');
  });
});
