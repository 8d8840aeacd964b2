// Canaries of policies over HTTP: a share of the decisions is judged otherwise, and the test counts what people overturn (document 2, section 4.2).
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { drawArm } from '../../../src/domain/policies/changes/canary.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import {
  createFeedbackKey,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
let feedbackKey: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  feedbackKey = await createFeedbackKey(app, ada);
});

const refunds = {
  name: 'Refunds',
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
  actions: [{ type: 'flag_for_review' }],
};
const WRONG = { status: 400, body: { code: 'INVALID_OPERATION' } };
const as = (who: Owner, method: string, below: string, body?: unknown): Promise<Answer> =>
  app.call(method, path + below, { token: who.token, ...(body !== undefined && { body }) });
const made = async (more: object = {}): Promise<string> =>
  assertOk(await as(ada, 'POST', '', Object.assign({}, refunds, more))).body.data._id;
/** The same again, its members in another order. */
const toChange = (policy: object): object =>
  Object.fromEntries(
    Object.entries(policy)
      .reverse()
      .filter(([name]) => name !== 'name'),
  );
const edit = (id: string, body: unknown): Promise<Answer> => as(ada, 'PATCH', `/${id}`, body);
const remove = async (id: string): Promise<Answer> => assertOk(await as(ada, 'DELETE', `/${id}`));
async function status(id: string) {
  await app.instance.runJobsOnce();
  return assertOk(await as(ada, 'GET', `/${id}/canary-status`)).body.data;
}

/** Posts decisions; those that each arm judged, by what became of them. */
async function post(count: number, action = 'refund') {
  const posted: { traceId: string; status: string }[] = [];
  for (let number = 0; number < count; number++) {
    const body = buildDecision('till', { outputDecision: { action } });
    const { data } = (await app.call('POST', '/api/v1/traces', { key, body })).body;
    posted.push({ traceId: data.traceId, status: data.status });
  }
  return posted;
}
const canaryOf = async (policyId: string): Promise<{ id: string; share: number }> => {
  const row = await harness.db
    .collection('policy_canaries')
    .findOne({ policyId: toObjectId(policyId), state: 'running' });
  return { id: String(row?._id), share: row?.share as number };
};
async function feed(traceId: string, body: object): Promise<void> {
  assertOk(
    await app.call('POST', '/api/v1/cpi/ingest', {
      key: feedbackKey,
      body: Object.assign({ traceId }, body),
    }),
  );
}

test('a change judges its share, the version before judges the rest, and each decision names its set', async () => {
  const id = await made();
  const started = assertOk(
    await edit(id, { actions: [{ type: 'notify' }], canary: { share: 0.5 } }),
  );
  expect(started.body.data).toMatchObject({ revision: 2, canary: { share: 0.5 } });
  const canary = await canaryOf(id);
  const posted = await post(40);
  for (const { traceId, status: got } of posted)
    expect(got).toBe(drawArm(canary, traceId) === 'canary' ? 'approved' : 'flagged');
  const inCanary = posted.filter(({ traceId }) => drawArm(canary, traceId) === 'canary');
  expect(inCanary.length).toBeGreaterThan(5);
  expect(inCanary.length).toBeLessThan(35);
  expect(await status(id)).toMatchObject({
    policyId: id,
    state: 'running',
    share: 0.5,
    decision: 'continue',
    pValue: 1,
    alpha: 0.05,
    arms: [
      { name: 'control', n: 40 - inCanary.length, events: 0 },
      { name: 'canary', n: inCanary.length, events: 0 },
    ],
    revision: 2,
    controlRevision: 1,
    startedBy: ada.userId,
    endedAt: null,
  });
  const revisions = new Set<number>();
  for (const { traceId } of posted.slice(0, 20)) {
    const entry = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
    const { policySetDigest } = JSON.parse(entry?.view as string) as { policySetDigest: string };
    const set = assertOk(await as(ada, 'GET', `/sets/${policySetDigest}`)).body.data;
    const [member] = set.members.filter((one: { id: string }) => one.id === id);
    expect(member.revision).toBe(drawArm(canary, traceId) === 'canary' ? 2 : 1);
    revisions.add(member.revision as number);
  }
  expect([...revisions].sort()).toEqual([1, 2]);
  await remove(id);
});

test('overturned verdicts decide the test, and the outcome stays', { tags: ['long'] }, async () => {
  const id = await made();
  assertOk(await edit(id, { actions: [{ type: 'notify' }], canary: { share: 0.5 } }));
  const canary = await canaryOf(id);
  const posted = await post(60);
  let events = 0;
  for (const { traceId } of posted) {
    const isCanary = drawArm(canary, traceId) === 'canary';
    if (!isCanary || events === 14) continue;
    await feed(traceId, { correctedDecision: 'ask' });
    events += 1;
  }
  const after = await status(id);
  expect(after.arms).toMatchObject([{ events: 0 }, { events: 14 }]);
  expect(after).toMatchObject({ decision: 'rollback', decidedAt: expect.any(String) });
  expect(after.pValue).toBeLessThan(0.05);
  const judgedAgain = posted.find(({ traceId }) => drawArm(canary, traceId) === 'canary');
  await feed(judgedAgain?.traceId ?? '', { correctedDecision: 'ask again' });
  const control = posted.find(({ traceId }) => drawArm(canary, traceId) === 'control');
  await feed(control?.traceId ?? '', { correctedDecision: 'refuse' });
  expect((await status(id)).arms).toMatchObject([{ events: 0 }, { events: 14 }]);
  const other = posted.filter(({ traceId }) => drawArm(canary, traceId) === 'control')[1];
  await feed(other?.traceId ?? '', { action: 'approve' });
  expect((await status(id)).arms).toMatchObject([{ events: 1 }, { events: 14 }]);
  const back = assertOk(await edit(id, { canary: { end: 'rollback' } })).body.data;
  expect(back).toMatchObject({ revision: 3, actions: refunds.actions, canary: null });
  expect((await post(6)).every(({ status: got }) => got === 'flagged')).toBe(true);
  expect(await status(id)).toMatchObject({ state: 'rolled_back', decision: 'rollback' });
  await remove(id);
});

test('no canary lifts an enabled policy without a change; all judges as before', async () => {
  const id = await made();
  for (const more of [{}, { name: 'Renamed' }, { enabled: true }, toChange(refunds)]) {
    const refused = await edit(id, { ...more, canary: { share: 0.1 } });
    expect(refused).toMatchObject(WRONG);
    expect(refused.body.error).toMatch(/send what the canary changes .*enabled: false/);
  }
  expect((await edit(id, { canary: { share: 0.1, liftsOthers: true } })).status).toBe(400);
  expect((await as(ada, 'GET', `/${id}`)).body.data).toMatchObject({ canary: null, revision: 1 });
  expect((await post(12)).every(({ status: got }) => got === 'flagged')).toBe(true);
  expect(await status(id)).toMatchObject({ state: 'none', matchedLastDay: 12 });
  await remove(id);
});

test('a policy that is off judges its share; rolled back it is off, promoted it is on', async () => {
  const id = await made({ enabled: false });
  const begun = assertOk(await edit(id, { canary: { share: 0.5 } })).body.data;
  expect(begun).toMatchObject({ enabled: true, revision: 2, canary: { share: 0.5 } });
  const canary = await canaryOf(id);
  for (const { traceId, status: got } of await post(20))
    expect(got).toBe(drawArm(canary, traceId) === 'canary' ? 'flagged' : 'approved');
  expect(await status(id)).toMatchObject({ controlRevision: 1, matchedLastDay: null });
  const back = assertOk(await edit(id, { canary: { end: 'rollback' } })).body.data;
  expect(back).toMatchObject({ enabled: false, canary: null });
  expect((await post(6)).every(({ status: got }) => got === 'approved')).toBe(true);
  const wrong = await edit(id, { priority: 7, canary: { share: 0.5 } });
  expect(wrong).toMatchObject(WRONG);
  expect(wrong.body.error).toContain('enabled: true');
  assertOk(await edit(id, { canary: { share: 0.5 } }));
  const all = assertOk(await edit(id, { canary: { end: 'promote' } })).body.data;
  expect(all).toMatchObject({ enabled: true, canary: null });
  expect((await post(6)).every(({ status: got }) => got === 'flagged')).toBe(true);
  expect(await status(id)).toMatchObject({ state: 'promoted' });
  await remove(id);
});

test('rolled back, a policy is what it was before: enabled, with its rule, name and priority', async () => {
  const id = await made({ description: 'As it was', priority: 4 });
  const { data: before } = (await as(ada, 'GET', `/${id}`)).body;
  const changes = { enabled: false, name: 'Other', priority: 9, actions: [{ type: 'notify' }] };
  assertOk(await edit(id, { ...changes, canary: { share: 0.3 } }));
  const after = assertOk(await edit(id, { canary: { end: 'rollback' } })).body.data;
  for (const member of ['enabled', 'name', 'description', 'priority', 'conditions', 'actions'])
    expect(after[member]).toEqual(before[member]);
  expect((await post(6)).every(({ status: got }) => got === 'flagged')).toBe(true);
  await remove(id);
});

test('a canary of an earlier version against the absence of its policy is rolled back to the policy', async () => {
  const id = await made();
  assertOk(await edit(id, { priority: 3, canary: { share: 0.5 } }));
  await harness.db
    .collection('policies')
    .updateOne({ _id: toObjectId(id) }, { $set: { 'canary.control': null } });
  const after = assertOk(await edit(id, { canary: { end: 'rollback' } })).body.data;
  expect(after).toMatchObject({ enabled: true, canary: null });
  expect((await post(6)).every(({ status: got }) => got === 'flagged')).toBe(true);
  await remove(id);
});

test('every owner and admin is notified of a canary and of its end, whatever they opted out of', async () => {
  const admin = await createMember(harness, ada, 'admin');
  const id = await made({ name: 'Money' });
  const titles = async (who: Owner): Promise<string[]> =>
    assertOk(await app.call('GET', '/api/v1/notifications', { token: who.token }))
      .body.data.filter(({ link }: { link: string | null }) => link?.includes(id))
      .map(({ title, body }: { title: string; body: string }) => `${title} ${body}`);
  assertOk(await edit(id, { enabled: false, canary: { share: 0.1 } }));
  assertOk(await edit(id, { canary: { end: 'rollback' } }));
  for (const who of [ada, admin]) {
    const texts = await titles(who);
    expect(texts).toHaveLength(2);
    expect(texts.sort()[0]).toMatch(/^A canary began: “Money” By “Ada.*10 % .* without the policy/);
    expect(texts.sort()[1]).toMatch(/^A canary was rolled back.*as it was before/);
  }
  const audited = await listAuditEntries(app, ada, 'action=policy.update');
  expect(audited[0]).toMatchObject({ metadata: { canary: { end: 'rollback' } } });
  await remove(id);
});

test('a policy is switched off and on with a reason, which the audit log keeps', async () => {
  const id = await made();
  const reason = 'It holds the whole queue';
  const off = assertOk(await edit(id, { enabled: false, reason })).body.data;
  expect(off).toMatchObject({ enabled: false, revision: 2 });
  expect(off).not.toHaveProperty('reason');
  expect((await post(2)).every(({ status: got }) => got === 'approved')).toBe(true);
  assertOk(await edit(id, { enabled: true }));
  expect((await post(2)).every(({ status: got }) => got === 'flagged')).toBe(true);
  const [on, before] = await listAuditEntries(app, ada, 'action=policy.update');
  expect(before).toMatchObject({ resourceId: id, metadata: { reason } });
  expect(on?.['metadata']).not.toHaveProperty('reason');
  for (const wrong of ['', ' ', 'x'.repeat(501), 5])
    expect((await edit(id, { enabled: false, reason: wrong })).status).toBe(400);
  await remove(id);
});

test('a direct change or a removal ends a canary, a new name does not', async () => {
  const id = await made();
  assertOk(await edit(id, { priority: 3, canary: { share: 0.2 } }));
  assertOk(await edit(id, { name: 'Renamed' }));
  expect(await status(id)).toMatchObject({ state: 'running' });
  const changed = assertOk(await edit(id, { priority: 4 })).body.data;
  expect(changed).toMatchObject({ canary: null, priority: 4 });
  expect(await status(id)).toMatchObject({ state: 'superseded', endedAt: expect.any(String) });
  assertOk(await edit(id, { priority: 5, canary: { share: 0.2 } }));
  await remove(id);
  expect(await harness.db.collection('policy_canaries').countDocuments({ state: 'running' })).toBe(
    0,
  );
});

test('a policy that is removed while its canary tries to be without it leaves no canary behind', async () => {
  const [id, other] = [await made(), await made({ name: 'Other' })];
  assertOk(await edit(id, { enabled: false, canary: { share: 0.5 } }));
  await remove(id);
  expect(await harness.db.collection('policy_canaries').countDocuments({ state: 'running' })).toBe(
    0,
  );
  assertOk(await edit(other, { priority: 4, canary: { share: 0.5 } }));
  await remove(other);
});

test('a workspace has one canary at a time, and only when the arms differ', async () => {
  const [one, other] = [await made(), await made({ name: 'Other' })];
  expect(await status(one)).toMatchObject({ state: 'none', decision: 'continue', pValue: 1 });
  expect(await edit(one, { canary: { end: 'promote' } })).toMatchObject(WRONG);
  expect(await edit(one, { name: 'Same', canary: { share: 0.5 } })).toMatchObject(WRONG);
  const off = await made({ enabled: false });
  const answers = await Promise.all(
    [one, other].map((id) => edit(id, { priority: 9, canary: { share: 0.5 } })),
  );
  expect(answers.map(({ status: got }) => got).sort()).toEqual([200, 400]);
  expect(await edit(off, { enabled: true, canary: { share: 0.5 } })).toMatchObject(WRONG);
  for (const canary of [{ share: 0 }, { share: 1 }, { share: '0.5' }, {}, { end: 'x' }])
    expect((await edit(off, { canary })).status).toBe(400);
  for (const id of [one, other, off]) await remove(id);
});

test('canaries need approvals too, and are hidden from other organisations', async () => {
  const id = await made();
  const second = await createMember(harness, ada, 'admin');
  const set = (who: Owner, requirePolicyApproval: boolean): Promise<Answer> =>
    app.call('PATCH', '/api/v1/organization', {
      token: who.token,
      body: { requirePolicyApproval },
    });
  /** Off by two people. */
  const setting = async (isOn: boolean): Promise<Answer> => {
    const asked = assertOk(await set(ada, isOn));
    return isOn ? asked : set(second, isOn);
  };
  assertOk(await edit(id, { priority: 8, canary: { share: 0.5 } }));
  assertOk(await setting(true));
  assertOk(await edit(id, { canary: { end: 'rollback' } }));
  expect(await edit(id, { priority: 7, canary: { share: 0.5 } })).toMatchObject(WRONG);
  assertOk(await setting(false));
  assertOk(await edit(id, { enabled: false, canary: { share: 0.5 } }));
  assertOk(await setting(true));
  for (const body of [{ priority: 9 }, { name: 'Renamed' }])
    expect(await edit(id, body)).toMatchObject(WRONG);
  expect(await as(ada, 'DELETE', `/${id}`)).toMatchObject(WRONG);
  assertOk(await setting(false));
  expect((await as(eve, 'GET', `/${id}/canary-status`)).status).toBe(404);
  const viewer = await createMember(harness, ada, 'viewer');
  expect((await as(viewer, 'GET', `/${id}/canary-status`)).status).toBe(200);
  expect((await as(viewer, 'PATCH', `/${id}`, { canary: { share: 0.5 } })).status).toBe(403);
});
