// What an approval keeps of each step, and where it is shown, over HTTP (document 2, section 4.2; decisions: approvals).
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const people = {} as Record<'author' | 'reviewer' | 'enforcer', Owner>;
beforeAll(async () => {
  people.author = await createMember(harness, ada, 'member');
  people.reviewer = await createMember(harness, ada, 'reviewer');
  people.enforcer = await createMember(harness, ada, 'admin');
});

const policy = (name: string): Record<string, unknown> => ({
  name,
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: name }],
  actions: [{ type: 'block' }],
});
const call = (who: Owner, method: string, below: string, body?: object): Promise<Answer> =>
  app.call(method, path + below, { token: who.token, ...(body && { body }) });
const act = (who: Owner, id: string, action: string, body: object = {}): Promise<Answer> =>
  call(who, 'POST', `/approvals/${id}/${action}`, body);
const propose = async (name: string) =>
  assertOk(await call(people.author, 'POST', '/approvals', { policy: policy(name) })).body.data;
const auditorView = async () => assertOk(await call(ada, 'GET', '/audit/auditor-view')).body.data;

const why = { 'break-glass': 'Money is leaving', 'reviewer-approve': 'Right, afterwards' };

test('approval, audit log, revision, bundle and auditor’s view show every step with user, time, reason and digest', async () => {
  const { author, reviewer, enforcer } = people;
  const { _id: id, digest, steps: opened } = await propose('glass');
  expect(opened).toEqual([
    {
      action: 'open',
      by: author.userId,
      at: expect.any(String),
      reason: null,
      digest,
      from: null,
      to: 'pending_review',
    },
  ]);
  assertOk(await act(enforcer, id, 'break-glass', { reason: why['break-glass'] }));
  assertOk(await act(reviewer, id, 'reviewer-approve', { reason: why['reviewer-approve'] }));
  const step = { at: expect.any(String), digest };
  const steps = [
    opened[0],
    {
      ...step,
      action: 'break-glass',
      by: enforcer.userId,
      reason: why['break-glass'],
      from: 'pending_review',
      to: 'broken_glass',
    },
    {
      ...step,
      action: 'reviewer-approve',
      by: reviewer.userId,
      reason: why['reviewer-approve'],
      from: 'broken_glass',
      to: 'promoted',
    },
  ];
  const approval = assertOk(await call(ada, 'GET', `/approvals/${id}`)).body.data;
  expect(approval.steps).toEqual(steps);
  const entries = (await listAuditEntries(app, ada)).filter(({ resourceId }) => resourceId === id);
  expect(entries.map(({ metadata }) => (metadata as { reason?: string }).reason)).toEqual([
    why['reviewer-approve'],
    why['break-glass'],
    undefined,
  ]);
  const { policyId } = approval;
  const record = { approvalId: id, policyId, name: 'glass', promotedRevision: 1, steps };
  const one = assertOk(await call(ada, 'GET', `/${policyId}/revisions/1`)).body.data;
  expect(one.approval).toMatchObject(record);
  const [listed] = assertOk(await call(ada, 'GET', `/${policyId}/revisions`)).body.data;
  expect(listed.approval).toMatchObject(record);
  const seen = await auditorView();
  expect(seen.approvals[0]).toMatchObject(record);
  expect(seen.policies[0]).toMatchObject({ policyId, lastChange: { approvalId: id } });
  const bundle = await fetch(`${app.url}${path}/export-bundle?download=1`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  const archive = gunzipSync(new Uint8Array(await bundle.arrayBuffer())).toString();
  expect(archive).toContain('approvals.json');
  for (const reason of Object.values(why)) expect(archive).toContain(reason);
});

test('a direct change has no approval, and a rejected broken glass names the approval that reverted it', async () => {
  const { reviewer, enforcer } = people;
  const made = assertOk(await call(ada, 'POST', '', policy('taken'))).body.data;
  const change = { policyId: made._id, policy: { priority: 7 } };
  const { _id: id } = assertOk(await call(people.author, 'POST', '/approvals', change)).body.data;
  assertOk(await act(enforcer, id, 'break-glass', { reason: 'now' }));
  assertOk(await act(reviewer, id, 'reviewer-reject', { reason: 'never' }));
  const revisions = assertOk(await call(ada, 'GET', `/${made._id}/revisions`)).body.data;
  expect(
    revisions.map(({ approval }: { approval: { approvalId: string } | null }) =>
      approval === null ? null : approval.approvalId,
    ),
  ).toEqual([id, id, null]);
  expect(revisions[0].approval).toMatchObject({ promotedRevision: 2, undoneRevision: 3 });
  expect(revisions[0].approval.steps.at(-1)).toMatchObject({ reason: 'never', to: 'rejected' });
});

test('a new policy that broke the glass and was rejected stays in the auditor’s view, with the reason', async () => {
  const { _id: id } = await propose('gone');
  assertOk(await act(people.enforcer, id, 'break-glass', { reason: 'in a hurry' }));
  assertOk(await act(people.reviewer, id, 'reviewer-reject', { reason: 'not needed' }));
  const { approvals } = await auditorView();
  const [record] = approvals;
  expect(record).toMatchObject({ approvalId: id, state: 'rejected', undoneRevision: 2 });
  const reasons = record.steps.map(({ reason }: { reason: string | null }) => reason);
  expect(reasons).toEqual([null, 'in a hurry', 'not needed']);
});

test('an edited change is approved, promoted or put into force only with the digest that was seen', async () => {
  const { author, reviewer, enforcer } = people;
  const { _id: id, digest: first } = await propose('edited');
  const edited = assertOk(
    await call(author, 'PATCH', `/approvals/${id}`, { policy: { actions: [{ type: 'notify' }] } }),
  ).body.data;
  const { digest } = edited;
  expect(edited.steps.map(({ action }: { action: string }) => action)).toEqual(['open', 'update']);
  const required = { status: 400, body: { code: 'VALIDATION_ERROR' } };
  const stale = { status: 400, body: { code: 'INVALID_OPERATION' } };
  expect(await act(reviewer, id, 'reviewer-approve')).toMatchObject(required);
  expect(await act(reviewer, id, 'reviewer-approve', { digest: first })).toMatchObject(stale);
  expect(await act(enforcer, id, 'break-glass', { reason: 'now' })).toMatchObject(required);
  assertOk(await act(reviewer, id, 'reviewer-approve', { digest }));
  expect(await act(enforcer, id, 'enforcer-promote')).toMatchObject(required);
  assertOk(await act(enforcer, id, 'enforcer-promote', { digest }));
});

test('an approval of an earlier version shows its last action, and is approved by digest', async () => {
  const { reviewer } = people;
  const { _id: id, digest } = await propose('earlier');
  const approvals = harness.db.collection('policy_approvals');
  const earlier = { action: 'reviewer-approve', by: toObjectId(ada.userId), at: new Date() };
  await approvals.updateOne(
    { _id: toObjectId(id) },
    {
      $unset: { steps: 1, undoneRevision: 1 },
      $set: { lastAction: { ...earlier, reason: 'kept' } },
    },
  );
  const { steps } = assertOk(await call(ada, 'GET', `/approvals/${id}`)).body.data;
  expect(steps).toMatchObject([{ action: 'reviewer-approve', reason: 'kept', digest: null }]);
  expect((await act(reviewer, id, 'reviewer-approve')).status).toBe(400);
  const approved = assertOk(await act(reviewer, id, 'reviewer-approve', { digest })).body.data;
  expect(approved.steps.map(({ reason }: { reason: string | null }) => reason)).toEqual([
    'kept',
    null,
  ]);
});

test('edits are limited, and steps of other users still fit', { tags: ['long'] }, async () => {
  const { author, reviewer } = people;
  const { _id: id } = await propose('often');
  let digest = '';
  for (let priority = 2; priority < 101; priority++) {
    const edit = await call(author, 'PATCH', `/approvals/${id}`, { policy: { priority } });
    ({ digest } = assertOk(edit).body.data);
  }
  const more = await call(author, 'PATCH', `/approvals/${id}`, { policy: { priority: 200 } });
  expect(more).toMatchObject({ status: 400, body: { code: 'INVALID_OPERATION' } });
  assertOk(await act(reviewer, id, 'reviewer-approve', { digest }));
});
