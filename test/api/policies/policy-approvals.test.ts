// Policy approvals over HTTP: six actions, three people, one winner (document 2, section 4.2; decisions: approvals).
import { beforeAll, expect, test } from 'vitest';
import { generateId } from '../../../src/platform/ids.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { createAgent, buildDecision, assertOk, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const people = {} as Record<'author' | 'reviewer' | 'enforcer' | 'viewer', Owner>;
let agentKey: string;
beforeAll(async () => {
  people.author = await createMember(harness, ada, 'member');
  people.reviewer = await createMember(harness, ada, 'reviewer');
  people.enforcer = await createMember(harness, ada, 'admin');
  people.viewer = await createMember(harness, ada, 'viewer');
  agentKey = (await createAgent(app, ada, 'Till')).key;
});

const policy = (name: string, more: object = {}): Record<string, unknown> => ({
  name,
  conditions: [{ field: 'outputDecision.action', operator: 'equals', value: name }],
  actions: [{ type: 'block' }],
  ...more,
});
const propose = (who: Owner, body: unknown): Promise<Answer> =>
  app.call('POST', `${path}/approvals`, { token: who.token, body });
const edit = (who: Owner, id: string, body: unknown): Promise<Answer> =>
  app.call('PATCH', `${path}/approvals/${id}`, { token: who.token, body });
const act = (who: Owner, id: string, action: string, body: object = {}): Promise<Answer> =>
  app.call('POST', `${path}/approvals/${id}/${action}`, { token: who.token, body });
const proposed = async (name: string, more: object = {}): Promise<{ _id: string }> =>
  assertOk(await propose(people.author, { policy: policy(name, more) })).body.data;
const policies = async (): Promise<{ _id: string; name: string }[]> =>
  assertOk(await app.call('GET', `${path}?limit=200`, { token: ada.token })).body.data;
const named = async (name: string) => (await policies()).find((one) => one.name === name);
const refusal = (status: number, code: string) => ({ status, body: { code } });
const FORBIDDEN = refusal(403, 'FORBIDDEN');
const WRONG_STATE = refusal(400, 'INVALID_OPERATION');

async function judged(action: string): Promise<number> {
  const body = buildDecision('Till', { outputDecision: { action } });
  return (await app.call('POST', '/api/v1/traces', { key: agentKey, body })).status;
}

test('a new policy is proposed, reviewed and promoted by three people, and judges from then on', async () => {
  const { author, reviewer, enforcer } = people;
  const opened = await propose(author, { policy: policy('three') });
  expect(opened).toMatchObject({
    status: 201,
    body: {
      data: {
        state: 'pending_review',
        policyId: null,
        baseRevision: null,
        workspaceId: ada.workspaceId,
        policy: { ...policy('three'), enabled: true, priority: 1 },
        author: author.userId,
        reviewer: null,
        enforcer: null,
        lastAction: null,
        promotedRevision: null,
        needsReview: false,
      },
    },
  });
  const { _id: id, digest } = opened.body.data;
  expect(await judged('three')).toBe(201);
  const approved = assertOk(
    await act(reviewer, id, 'reviewer-approve', { digest, reason: 'Fine' }),
  );
  expect(approved.body.data).toMatchObject({
    state: 'approved_pending_enforcement',
    reviewer: reviewer.userId,
    lastAction: { action: 'reviewer-approve', by: reviewer.userId, reason: 'Fine' },
  });
  expect(await judged('three')).toBe(201);
  const promoted = assertOk(await act(enforcer, id, 'enforcer-promote')).body.data;
  const made = await named('three');
  expect(promoted).toMatchObject({
    state: 'promoted',
    enforcer: enforcer.userId,
    policyId: made?._id,
    promotedRevision: 1,
  });
  expect(await judged('three')).toBe(403);
  const entries = (await listAuditEntries(app, ada)).filter(({ resourceId }) => resourceId === id);
  expect(entries.map(({ action }) => action)).toEqual([
    'policy.approval.enforcer-promote',
    'policy.approval.reviewer-approve',
    'policy.approval.open',
  ]);
  expect(entries[0]).toMatchObject({
    status: 'success',
    userId: enforcer.userId,
    metadata: {
      from: 'approved_pending_enforcement',
      to: 'promoted',
      policyId: made?._id,
      promotedRevision: 1,
      digest,
    },
  });
});

test('duties are separated, and a refused attempt is on record', async () => {
  const { _id: id } = assertOk(await propose(people.enforcer, { policy: policy('apart') })).body
    .data;
  expect(await act(people.enforcer, id, 'reviewer-approve')).toMatchObject(FORBIDDEN);
  expect(await act(people.enforcer, id, 'reviewer-reject')).toMatchObject(FORBIDDEN);
  expect(await act(people.author, id, 'reviewer-approve')).toMatchObject(FORBIDDEN);
  expect(await act(people.viewer, id, 'reviewer-approve')).toMatchObject(FORBIDDEN);
  expect(await act(ada, id, 'author-withdraw')).toMatchObject(FORBIDDEN);
  assertOk(await act(ada, id, 'reviewer-approve'));
  expect(await act(ada, id, 'enforcer-promote')).toMatchObject(FORBIDDEN);
  expect(await act(people.enforcer, id, 'enforcer-promote')).toMatchObject(FORBIDDEN);
  expect(await act(people.reviewer, id, 'enforcer-promote')).toMatchObject(FORBIDDEN);
  const second = await createMember(harness, ada, 'admin');
  assertOk(await act(second, id, 'enforcer-promote'));
  const refused = await listAuditEntries(app, ada, 'action=policy.approval.move');
  expect(refused.length).toBeGreaterThanOrEqual(7);
  expect(refused.every(({ status }) => status === 'failure')).toBe(true);
});

test('a role that may never take an action is refused before the approval is looked up', async () => {
  const { author, reviewer, enforcer, viewer } = people;
  const unknown = generateId();
  const refused = {
    'break-glass': [author, reviewer, viewer],
    'enforcer-promote': [author, reviewer, viewer],
    'enforcer-reject': [author, reviewer, viewer],
    'reviewer-approve': [author, viewer],
    'reviewer-reject': [author, viewer],
    'author-withdraw': [viewer],
  };
  for (const [action, callers] of Object.entries(refused)) {
    for (const caller of callers)
      expect(await act(caller, unknown, action, { reason: 'now' })).toMatchObject(FORBIDDEN);
    expect(await act(enforcer, unknown, action, { reason: 'now' })).toMatchObject(
      refusal(404, 'NOT_FOUND'),
    );
  }
});

test('only the actions of a state are possible in it, and an ended approval moves no more', async () => {
  const { author, reviewer, enforcer } = people;
  const { _id: id } = await proposed('states');
  for (const action of ['enforcer-promote', 'enforcer-reject'])
    expect(await act(enforcer, id, action)).toMatchObject(WRONG_STATE);
  assertOk(await act(reviewer, id, 'reviewer-approve'));
  expect(await act(ada, id, 'reviewer-approve')).toMatchObject(WRONG_STATE);
  expect(
    assertOk(await act(enforcer, id, 'enforcer-reject', { reason: 'Not now' })).body.data,
  ).toMatchObject({
    state: 'rejected',
    enforcer: enforcer.userId,
    lastAction: { reason: 'Not now' },
  });
  for (const action of ['reviewer-approve', 'enforcer-promote', 'break-glass'])
    expect(await act(ada, id, action, { reason: 'x' })).toMatchObject(WRONG_STATE);
  expect(await act(author, id, 'author-withdraw')).toMatchObject(WRONG_STATE);
  expect(await edit(author, id, { policy: { priority: 2 } })).toMatchObject(WRONG_STATE);
  const { _id: other } = await proposed('withdrawn');
  expect(assertOk(await act(author, other, 'author-withdraw')).body.data.state).toBe('withdrawn');
  expect(await named('states')).toBeUndefined();
  for (const action of ['nonsense', 'reviewer-Approve'])
    expect((await act(ada, other, action)).status).toBe(404);
});

test('a draft waits for its author, and an edit voids the review', async () => {
  const { author, reviewer, enforcer } = people;
  const draft = assertOk(await propose(author, { policy: policy('draft'), submit: false })).body
    .data;
  expect(draft.state).toBe('draft');
  expect(await act(reviewer, draft._id, 'reviewer-approve')).toMatchObject(WRONG_STATE);
  expect(await edit(ada, draft._id, { submit: true })).toMatchObject(FORBIDDEN);
  expect(assertOk(await edit(author, draft._id, { policy: { priority: 7 } })).body.data.state).toBe(
    'draft',
  );
  expect(assertOk(await edit(author, draft._id, { submit: true })).body.data.state).toBe(
    'pending_review',
  );
  assertOk(await act(reviewer, draft._id, 'reviewer-approve'));
  const edited = assertOk(await edit(author, draft._id, { policy: { name: 'drafted' } })).body.data;
  expect(edited).toMatchObject({
    state: 'pending_review',
    reviewer: null,
    policy: { name: 'drafted', priority: 7 },
  });
  expect(await act(enforcer, draft._id, 'enforcer-promote')).toMatchObject(WRONG_STATE);
  const stale = { digest: draft.digest };
  expect(await act(reviewer, draft._id, 'reviewer-approve', stale)).toMatchObject(WRONG_STATE);
  assertOk(await act(reviewer, draft._id, 'reviewer-approve', { digest: edited.digest }));
});

test('a change of a policy is promoted onto the revision it was written on, and onto no other', async () => {
  const { author, reviewer, enforcer } = people;
  const body = policy('based', { enabled: false });
  const { _id: policyId } = assertOk(await app.call('POST', path, { token: ada.token, body })).body
    .data;
  expect(await propose(author, { policyId, policy: { priority: 1 } })).toMatchObject(WRONG_STATE);
  const { _id: id, ...opened } = assertOk(await propose(author, { policyId })).body.data;
  expect(opened).toMatchObject({ policyId, baseRevision: 1, policy: { enabled: true } });
  assertOk(await act(reviewer, id, 'reviewer-approve'));
  const change = { token: ada.token, body: { priority: 3 } };
  assertOk(await app.call('PATCH', `${path}/${policyId}`, change));
  expect(await act(enforcer, id, 'enforcer-promote')).toMatchObject(WRONG_STATE);
  const edited = assertOk(await edit(author, id, { policy: { priority: 3 } })).body.data;
  expect(edited.baseRevision).toBe(2);
  const { digest } = edited;
  assertOk(await act(reviewer, id, 'reviewer-approve', { digest }));
  expect(assertOk(await act(enforcer, id, 'enforcer-promote', { digest })).body.data).toMatchObject(
    {
      promotedRevision: 3,
    },
  );
  expect(await named('based')).toMatchObject({ enabled: true, priority: 3, revision: 3 });
  const { _id: lost } = assertOk(await propose(author, { policyId, policy: { priority: 9 } })).body
    .data;
  assertOk(await act(reviewer, lost, 'reviewer-approve'));
  assertOk(await app.call('DELETE', `${path}/${policyId}`, { token: ada.token }));
  expect(await act(enforcer, lost, 'enforcer-promote')).toMatchObject(WRONG_STATE);
});

test('breaking the glass takes effect at once, needs a reason, and is reviewed by another user', async () => {
  const { author, reviewer, enforcer } = people;
  const { _id: id } = await proposed('glass');
  const why = { reason: 'Money is leaving' };
  expect(await act(enforcer, id, 'break-glass')).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
  for (const who of [author, reviewer])
    expect(await act(who, id, 'break-glass', why)).toMatchObject(FORBIDDEN);
  const broken = assertOk(await act(enforcer, id, 'break-glass', why)).body.data;
  expect(broken).toMatchObject({
    state: 'broken_glass',
    needsReview: true,
    enforcer: enforcer.userId,
    promotedRevision: 1,
    lastAction: { action: 'break-glass', reason: 'Money is leaving' },
  });
  expect(await judged('glass')).toBe(403);
  const queue = await app.call('GET', `${path}/approvals?state=broken_glass`, { token: ada.token });
  expect(assertOk(queue).body.data.map(({ _id }: { _id: string }) => _id)).toEqual([id]);
  expect(await act(enforcer, id, 'reviewer-approve')).toMatchObject(FORBIDDEN);
  expect(assertOk(await act(reviewer, id, 'reviewer-approve')).body.data).toMatchObject({
    state: 'promoted',
    needsReview: false,
    reviewer: reviewer.userId,
    enforcer: enforcer.userId,
  });
  const entry = (await listAuditEntries(app, ada, 'action=policy.approval.break-glass'))[0];
  expect(entry).toMatchObject({ metadata: { to: 'broken_glass' }, status: 'success' });
});

test(
  'a rejected broken glass is taken back, unless the policy has changed since',
  { tags: ['long'] },
  async () => {
    const { author, reviewer, enforcer } = people;
    const why = { reason: 'Now' };
    const { _id: first } = await proposed('shard');
    assertOk(await act(enforcer, first, 'break-glass', why));
    expect(assertOk(await act(reviewer, first, 'reviewer-reject')).body.data.state).toBe(
      'rejected',
    );
    expect(await judged('shard')).toBe(201);
    const body = policy('kept', { priority: 4 });
    const { _id: policyId } = assertOk(await app.call('POST', path, { token: ada.token, body }))
      .body.data;
    const change = { policyId, policy: { actions: [{ type: 'notify' }] } };
    const { _id: second } = assertOk(await propose(author, change)).body.data;
    assertOk(await act(enforcer, second, 'break-glass', why));
    expect(await judged('kept')).toBe(201);
    assertOk(await act(reviewer, second, 'reviewer-reject'));
    expect(await judged('kept')).toBe(403);
    expect(await named('kept')).toMatchObject({ ...body, revision: 3 });
    const { _id: third } = assertOk(await propose(author, change)).body.data;
    assertOk(await act(enforcer, third, 'break-glass', why));
    const later = { token: ada.token, body: { priority: 6 } };
    assertOk(await app.call('PATCH', `${path}/${policyId}`, later));
    assertOk(await act(reviewer, third, 'reviewer-reject'));
    expect(await named('kept')).toMatchObject({ priority: 6, revision: 5 });
    const entries = await listAuditEntries(app, ada, 'action=policy.approval.reviewer-reject');
    const undone = entries.map(({ metadata }) => (metadata as { undone: boolean }).undone);
    expect(undone.slice(0, 3)).toEqual([false, true, true]);
  },
);

test('one of many concurrent actions wins', { tags: ['long'] }, async () => {
  const { reviewer, enforcer } = people;
  const reviewers = [reviewer, enforcer, ada, await createMember(harness, ada, 'admin')];
  const { _id: id } = await proposed('race');
  const reviews = await Promise.all(
    reviewers.map((who, index) =>
      act(who, id, index % 2 === 0 ? 'reviewer-approve' : 'reviewer-reject'),
    ),
  );
  expect(reviews.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  const { _id: other } = await proposed('race again');
  assertOk(await act(reviewer, other, 'reviewer-approve'));
  const enforced = await Promise.all(
    reviewers.slice(1).map((who) => act(who, other, 'enforcer-promote')),
  );
  expect(enforced.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  expect((await policies()).filter(({ name }) => name === 'race again')).toHaveLength(1);
});

test('where approvals are required, enabled policies change by them only', async () => {
  const { author, reviewer, enforcer } = people;
  const kept = assertOk(await app.call('POST', path, { token: ada.token, body: policy('by hand') }))
    .body.data;
  const setting = (requirePolicyApproval: boolean, who = ada): Promise<Answer> =>
    app.call('PATCH', '/api/v1/organization', {
      token: who.token,
      body: { requirePolicyApproval },
    });
  expect(assertOk(await setting(true)).body.data.requirePolicyApproval).toBe(true);
  const hand = (method: string, below: string, body?: unknown): Promise<Answer> =>
    app.call(method, path + below, { token: ada.token, ...(body !== undefined && { body }) });
  expect(await hand('POST', '', policy('direct'))).toMatchObject(WRONG_STATE);
  expect(await hand('PATCH', `/${kept._id}`, { enabled: false })).toMatchObject(WRONG_STATE);
  expect(await hand('DELETE', `/${kept._id}`)).toMatchObject(WRONG_STATE);
  const { id: templateId } = assertOk(await hand('GET', '/templates')).body.data[0];
  expect(await hand('POST', '/from-template', { templateId })).toMatchObject(WRONG_STATE);
  const off = assertOk(await hand('POST', '', policy('sketch', { enabled: false }))).body.data;
  assertOk(await hand('PATCH', `/${off._id}`, { priority: 2 }));
  expect(await hand('PATCH', `/${off._id}`, { enabled: true })).toMatchObject(WRONG_STATE);
  const { _id: id } = assertOk(await propose(author, { policyId: off._id })).body.data;
  assertOk(await act(reviewer, id, 'reviewer-approve'));
  assertOk(await act(enforcer, id, 'enforcer-promote'));
  expect(await judged('sketch')).toBe(403);
  assertOk(await setting(false));
  expect(await hand('DELETE', `/${off._id}`)).toMatchObject(WRONG_STATE);
  assertOk(await setting(false, enforcer));
  assertOk(await hand('DELETE', `/${off._id}`));
});

test('proposals are validated as policies, listed by state, and hidden from other organisations', async () => {
  const { author, viewer } = people;
  const invalid = refusal(400, 'VALIDATION_ERROR');
  for (const body of [
    {},
    { policy: { name: 'x' } },
    { policyId: 'x' },
    { policy: policy('x'), surprise: 1 },
    { policy: policy('x', { conditions: [{ field: 'x', operator: 'regex', value: '(' }] }) },
  ])
    expect(await propose(author, body)).toMatchObject(invalid);
  expect((await propose(author, { policyId: 'a'.repeat(24) })).status).toBe(404);
  expect(await propose(viewer, { policy: policy('x') })).toMatchObject(FORBIDDEN);
  const { _id: id } = await proposed('theirs');
  expect((await act(eve, id, 'reviewer-approve')).status).toBe(404);
  expect((await edit(eve, id, { submit: true })).status).toBe(404);
  const list = async (who: Owner, query: string) =>
    assertOk(await app.call('GET', `${path}/approvals${query}`, { token: who.token })).body;
  expect((await list(eve, '')).data).toEqual([]);
  const promoted = await list(viewer, '?state=promoted&limit=2');
  expect(promoted.data.map(({ state }: { state: string }) => state)).toEqual([
    'promoted',
    'promoted',
  ]);
  expect(promoted.pagination).toMatchObject({ hasMore: true });
  const wrong = await app.call('GET', `${path}/approvals?state=odd`, { token: ada.token });
  expect(wrong).toMatchObject(invalid);
  const one = await app.call('GET', `${path}/approvals/${id}`, { token: viewer.token });
  expect(assertOk(one).body.data).toMatchObject({ _id: id, state: 'pending_review' });
});

test('the number of open approvals is limited', async () => {
  const { _id: id } = assertOk(await propose(eve, { policy: policy('many') })).body.data;
  const approvals = harness.db.collection('policy_approvals');
  const stored = await approvals.findOne({ _id: toObjectId(id) });
  const copies = Array.from({ length: 199 }, () =>
    Object.assign({}, stored, { _id: generateId() }),
  );
  await approvals.insertMany(copies.map((copy) => ({ ...copy, _id: toObjectId(copy._id) })));
  expect(await propose(eve, { policy: policy('one more') })).toMatchObject(WRONG_STATE);
  assertOk(await act(eve, id, 'author-withdraw'));
  assertOk(await propose(eve, { policy: policy('one more') }));
});

test('a caller of one workspace sees and moves the approvals of that one only', async () => {
  const made = await app.call('POST', '/api/v1/workspaces', {
    token: ada.token,
    body: { name: 'Lab' },
  });
  const lab = assertOk(made).body.data._id as string;
  const within = (
    workspaceId: string,
    method: string,
    below = '',
    body?: object,
  ): Promise<Answer> =>
    app.call(method, `${path}/approvals${below}`, {
      token: ada.token,
      headers: { 'x-workspace-id': workspaceId },
      ...(body && { body }),
    });
  const openIn = async (workspaceId: string, name: string): Promise<string> =>
    assertOk(await within(workspaceId, 'POST', '', { policy: policy(name) })).body.data
      ._id as string;
  const idsIn = async (workspaceId: string): Promise<string[]> =>
    assertOk(await within(workspaceId, 'GET', '?limit=200')).body.data.map(
      ({ id }: { id: string }) => id,
    );
  const here = { workspaceId: lab, id: await openIn(lab, 'in the laboratory') };
  const there = { workspaceId: ada.workspaceId, id: await openIn(ada.workspaceId, 'outside') };
  expect(await idsIn(lab)).toEqual([here.id]);
  expect(await idsIn(ada.workspaceId)).toContain(there.id);
  expect(await idsIn(ada.workspaceId)).not.toContain(here.id);
  expect(await idsIn('')).toEqual(expect.arrayContaining([here.id, there.id]));
  for (const [{ workspaceId }, { id }] of [
    [here, there],
    [there, here],
  ] as const) {
    expect((await within(workspaceId, 'GET', `/${id}`)).status).toBe(404);
    expect((await within(workspaceId, 'PATCH', `/${id}`, { submit: true })).status).toBe(404);
    expect((await within(workspaceId, 'POST', `/${id}/author-withdraw`, {})).status).toBe(404);
  }
  for (const { workspaceId, id } of [here, there]) {
    assertOk(await within(workspaceId, 'GET', `/${id}`));
    assertOk(await within(workspaceId, 'POST', `/${id}/author-withdraw`, {}));
  }
});
