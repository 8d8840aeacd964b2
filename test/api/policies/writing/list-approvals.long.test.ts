// Changes of named lists by approval over HTTP: three people, one digest, nothing overwritten (decisions: approvals of lists).
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { generateId } from '../../../../src/platform/ids.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, type Owner } from '../../../setup/personas.ts';
import type { Answer } from '../../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const people = {} as Record<'author' | 'reviewer' | 'enforcer' | 'viewer', Owner>;
let key: string;
beforeAll(async () => {
  people.author = await createMember(harness, ada, 'member');
  people.reviewer = await createMember(harness, ada, 'reviewer');
  people.enforcer = await createMember(harness, ada, 'admin');
  people.viewer = await createMember(harness, ada, 'viewer');
  ({ key } = await createAgent(app, ada, 'Mailer'));
  await guard('partners', ['mail', 'read']);
  await guard('glass', ['read']);
  const four = { requirePolicyApproval: true };
  assertOk(await call('PATCH', '/organization', ada, four));
});

const call = (method: string, path: string, who: Owner, body?: unknown): Promise<Answer> =>
  app.call(method, `/api/v1${path}`, { token: who.token, ...(body !== undefined && { body }) });
const put = async (name: string, values: string[], more: object = {}): Promise<void> => {
  assertOk(await call('PUT', `/policy-lists/${name}`, ada, { values, ...more }));
};
const propose = (name: string, body: unknown, who = people.author): Promise<Answer> =>
  call('POST', `/policy-lists/${name}/approvals`, who, body);
const act = (who: Owner, id: string, action: string, body: object = {}): Promise<Answer> =>
  call('POST', `/policies/approvals/${id}/${action}`, who, body);
const read = async (name: string) =>
  assertOk(await call('GET', `/policy-lists/${name}`, ada)).body.data;
const readValues = async (digest: string): Promise<string[]> =>
  assertOk(await call('GET', `/policy-lists/contents/${digest}`, ada)).body.data.values;
const refusal = (status: number, code: string, message = /./) => ({
  status,
  body: { code, error: expect.stringMatching(message) as string },
});
const FORBIDDEN = refusal(403, 'FORBIDDEN');

/** A list with a policy that holds what calls a tool outside it. */
async function guard(name: string, values: string[]): Promise<void> {
  await put(name, values);
  const body = {
    name: `Outside ${name}`,
    conditions: [
      { field: 'outputDecision.topic', operator: 'equals', value: name },
      { field: 'action.names', operator: 'in', value: { list: name }, not: true },
    ],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await call('POST', '/policies', ada, body));
}
async function judge(topic: string, tool: string): Promise<number> {
  const body = buildDecision('Mailer', { outputDecision: { action: { tool }, topic } });
  return (await app.call('POST', '/api/v1/traces', { key, body })).status;
}
/** Proposes, and has it reviewed. */
async function review(name: string, body: object): Promise<string> {
  const { id } = assertOk(await propose(name, body)).body.data;
  assertOk(await act(people.reviewer, id, 'reviewer-approve'));
  return id as string;
}

test('other values are proposed, reviewed and put into force by three people, and judge from then on', async () => {
  const { author, reviewer, enforcer } = people;
  const { digest: before } = await read('partners');
  const opened = await propose('partners', { values: ['wipe', 'read', 'wipe'] });
  expect(opened).toMatchObject({
    status: 201,
    body: {
      data: {
        state: 'pending_review',
        policy: null,
        policyId: null,
        workspaceId: null,
        list: { name: 'partners', before: { digest: before, count: 2 }, after: { count: 2 } },
        author: author.userId,
        steps: [{ action: 'open' }],
      },
    },
  });
  const { id, digest, list } = opened.body.data;
  expect(await readValues(list.after.digest)).toEqual(['read', 'wipe']);
  expect((await read('partners')).values).toEqual(['mail', 'read']);
  expect(await judge('partners', 'wipe')).toBe(202);
  const queue = await call('GET', '/policies/approvals?state=pending_review', people.viewer);
  expect(assertOk(queue).body.data).toMatchObject([{ id, list }]);
  assertOk(await act(reviewer, id, 'reviewer-approve', { digest }));
  expect(await judge('partners', 'wipe')).toBe(202);
  expect(assertOk(await act(enforcer, id, 'enforcer-promote', { digest })).body.data).toMatchObject(
    {
      state: 'promoted',
      promotedRevision: null,
      policyId: null,
    },
  );
  expect(await read('partners')).toMatchObject({
    values: ['read', 'wipe'],
    changedBy: enforcer.userId,
  });
  expect(await judge('partners', 'wipe')).toBe(201);
  expect(await judge('partners', 'mail')).toBe(202);
  const entries = (await listAuditEntries(app, ada)).filter(({ resourceId }) => resourceId === id);
  expect(entries.map(({ action }) => action)).toEqual([
    'policy.approval.enforcer-promote',
    'policy.approval.reviewer-approve',
    'policy.approval.open',
  ]);
  for (const { metadata } of entries) expect(metadata).toMatchObject({ list: 'partners', digest });
  const view = assertOk(await call('GET', '/policies/audit/auditor-view', ada)).body.data;
  expect(view.approvals[0]).toMatchObject({ approvalId: id, list: 'partners', name: 'partners' });
  const notices = assertOk(await call('GET', '/notifications', author)).body.data;
  expect(JSON.stringify(notices)).toContain('list partners');
});

test('duties are separated, and those who write no policies propose nothing', async () => {
  await put('apart', ['a']);
  const { author, reviewer, enforcer, viewer } = people;
  const values = { values: ['b'] };
  expect(await propose('apart', values, viewer)).toMatchObject(FORBIDDEN);
  const { id } = assertOk(await propose('apart', values, enforcer)).body.data;
  expect(await act(enforcer, id, 'reviewer-approve')).toMatchObject(FORBIDDEN);
  for (const who of [viewer, author])
    expect(await act(who, id, 'reviewer-approve')).toMatchObject(FORBIDDEN);
  assertOk(await act(ada, id, 'reviewer-approve'));
  for (const who of [ada, enforcer, reviewer])
    expect(await act(who, id, 'enforcer-promote')).toMatchObject(FORBIDDEN);
  expect((await read('apart')).values).toEqual(['a']);
  const refused = await listAuditEntries(app, ada, 'action=policy.approval.move&status=failure');
  expect(refused.length).toBeGreaterThanOrEqual(6);
});

test('a list that has changed in between, or is gone, is not overwritten', async () => {
  const { enforcer } = people;
  await put('between', ['a']);
  const first = await review('between', { values: ['a', 'b'] });
  const second = await review('between', { values: ['a', 'c'] });
  assertOk(await act(enforcer, first, 'enforcer-promote'));
  const changed = refusal(400, 'INVALID_OPERATION', /The list has changed since/);
  expect(await act(enforcer, second, 'enforcer-promote')).toMatchObject(changed);
  expect(await act(enforcer, second, 'break-glass', { reason: 'Now' })).toMatchObject(changed);
  expect((await read('between')).values).toEqual(['a', 'b']);
  const third = await review('between', { values: [] });
  assertOk(await call('DELETE', '/policy-lists/between', ada));
  expect(await act(enforcer, third, 'enforcer-promote')).toMatchObject(changed);
  await put('between', ['a', 'b'], { workspaceId: ada.workspaceId });
  expect(await act(enforcer, third, 'enforcer-promote')).toMatchObject(changed);
  assertOk(await call('DELETE', '/policy-lists/between', ada));
  await put('between', ['a', 'b']);
  assertOk(await act(enforcer, third, 'enforcer-promote'));
  expect((await read('between')).values).toEqual([]);
});

test('what is approved is named by its digest, and is not edited', async () => {
  const { author, reviewer, enforcer } = people;
  await put('named', ['a']);
  const one = assertOk(await propose('named', { values: ['b'] })).body.data;
  const other = assertOk(await propose('named', { values: ['c'] })).body.data;
  expect(await act(reviewer, one.id, 'reviewer-approve', { digest: other.digest })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /digest/),
  );
  for (const body of [{ policy: { name: 'named' } }, { submit: true }])
    expect(await call('PATCH', `/policies/approvals/${one.id}`, author, body)).toMatchObject(
      refusal(400, 'INVALID_OPERATION', /withdraw it/),
    );
  assertOk(await act(author, one.id, 'author-withdraw'));
  expect(await act(reviewer, one.id, 'reviewer-approve')).toMatchObject(
    refusal(400, 'INVALID_OPERATION'),
  );
  assertOk(await act(reviewer, other.id, 'reviewer-reject', { reason: 'Why?' }));
  expect(await act(enforcer, other.id, 'enforcer-promote')).toMatchObject(
    refusal(400, 'INVALID_OPERATION'),
  );
  expect(await propose('named', { values: ['a', 'a'] })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /says that already/),
  );
  for (const body of [{}, { deleted: false }, { values: ['b'], deleted: true }, { values: [''] }])
    expect(await propose('named', body)).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
});

test('a removal is proposed of what nothing refers to, and taken back as it was', async () => {
  const { reviewer, enforcer } = people;
  await put('used', ['a']);
  const sketch = {
    name: 'Sketch',
    enabled: false,
    conditions: [{ field: 'action.names', operator: 'any_in', value: { list: 'used' } }],
    actions: [{ type: 'block' }],
  };
  const { id: policyId } = assertOk(await call('POST', '/policies', ada, sketch)).body.data;
  const inUse = refusal(400, 'INVALID_OPERATION', /"Sketch" refers to the list/);
  expect(await propose('used', { deleted: true })).toMatchObject(inUse);
  await put('old', ['a', 'b'], { description: 'Of last year' });
  const opened = assertOk(await propose('old', { deleted: true })).body.data;
  expect(opened.list).toMatchObject({ description: 'Of last year', after: null });
  const refers = [{ ...sketch.conditions[0], value: { list: 'old' } }];
  assertOk(await call('PATCH', `/policies/${policyId}`, ada, { conditions: refers }));
  assertOk(await act(reviewer, opened.id, 'reviewer-approve'));
  expect(await act(enforcer, opened.id, 'enforcer-promote')).toMatchObject(inUse);
  assertOk(await call('DELETE', `/policies/${policyId}`, ada));
  assertOk(await act(enforcer, opened.id, 'enforcer-promote'));
  expect((await call('GET', '/policy-lists/old', ada)).status).toBe(404);
  await put('older', ['x'], { description: 'Kept', workspaceId: ada.workspaceId });
  const { id } = assertOk(await propose('older', { deleted: true })).body.data;
  assertOk(await act(enforcer, id, 'break-glass', { reason: 'It is a leak' }));
  expect((await call('GET', '/policy-lists/older', ada)).status).toBe(404);
  assertOk(await act(reviewer, id, 'reviewer-reject'));
  expect(await read('older')).toMatchObject({
    values: ['x'],
    description: 'Kept',
    workspaceId: ada.workspaceId,
  });
});

test('a broken glass that is rejected gives the values back, unless they have changed since', async () => {
  const { reviewer, enforcer } = people;
  const { id } = assertOk(await propose('glass', { values: ['read', 'wipe'] })).body.data;
  const why = { reason: 'Customers wait' };
  expect(await act(enforcer, id, 'break-glass')).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
  expect(assertOk(await act(enforcer, id, 'break-glass', why)).body.data).toMatchObject({
    state: 'broken_glass',
    needsReview: true,
  });
  expect(await judge('glass', 'wipe')).toBe(201);
  assertOk(await act(reviewer, id, 'reviewer-reject'));
  expect(await judge('glass', 'wipe')).toBe(202);
  const again = assertOk(await propose('glass', { values: ['mail'] })).body.data;
  assertOk(await act(enforcer, again.id, 'break-glass', why));
  const later = await review('glass', { values: ['call'] });
  assertOk(await act(enforcer, later, 'enforcer-promote'));
  assertOk(await act(reviewer, again.id, 'reviewer-reject'));
  expect((await read('glass')).values).toEqual(['call']);
  const entries = await listAuditEntries(app, ada, 'action=policy.approval.reviewer-reject');
  const undone = entries.map(({ metadata }) => (metadata as { undone: boolean }).undone);
  expect(undone.slice(0, 2)).toEqual([false, true]);
});

test('another organisation, and another workspace, finds neither list nor change', async () => {
  const notFound = refusal(404, 'NOT_FOUND');
  const { _id: elsewhere } = assertOk(await call('POST', '/workspaces', ada, { name: 'Elsewhere' }))
    .body.data;
  await put('own', ['a'], { workspaceId: elsewhere });
  const own = assertOk(await propose('own', { values: ['b'] })).body.data;
  expect(own.workspaceId).toBe(elsewhere);
  await put('shared', ['a']);
  const shared = assertOk(await propose('shared', { values: ['b'] })).body.data;
  expect(await propose('own', { values: ['b'] }, eve)).toMatchObject(notFound);
  expect(await propose('nothing', { values: ['b'] })).toMatchObject(notFound);
  expect(await call('GET', `/policies/approvals/${own.id}`, eve)).toMatchObject(notFound);
  expect(await act(eve, own.id, 'break-glass', { reason: 'x' })).toMatchObject(notFound);
  expect(await act(ada, generateId(), 'reviewer-approve')).toMatchObject(notFound);
  const headers = { 'x-workspace-id': ada.workspaceId };
  const here = (path: string): Promise<Answer> =>
    app.call('GET', `/api/v1/policies/approvals${path}`, { token: ada.token, headers });
  expect(await here(`/${own.id}`)).toMatchObject(notFound);
  const ids = assertOk(await here('')).body.data.map(({ id }: { id: string }) => id);
  expect(ids).toContain(shared.id);
  expect(ids).not.toContain(own.id);
});

test('ten thousand long and hostile values are proposed and put into force, and the queue stays small', async () => {
  const { reviewer, enforcer } = people;
  const many = Array.from({ length: 9_990 }, (_, i) => `${'x'.repeat(35)}${i}`);
  const hostile = ['"list":"partners"', '{"$gt":""}', '__proto__', '\u202emoc.emca', ' a', 'a\nb'];
  await put('hostile', many);
  const values = [...many.slice(1), ...hostile];
  const opened = assertOk(await propose('hostile', { values })).body.data;
  expect(
    await propose('hostile', { values: [...many, ...many.map((one) => `y${one}`)] }),
  ).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
  const wide = Array.from({ length: 4_000 }, (_, i) => `${'x'.repeat(150)}${i}`);
  expect(await propose('hostile', { values: wide })).toMatchObject(
    refusal(400, 'INVALID_OPERATION', /at most 500000 characters/),
  );
  const queue = await call('GET', '/policies/approvals?limit=100', ada);
  expect(JSON.stringify(queue.body).length).toBeLessThan(100_000);
  assertOk(await act(reviewer, opened.id, 'reviewer-approve'));
  assertOk(await act(enforcer, opened.id, 'enforcer-promote'));
  expect((await read('hostile')).values).toEqual([...new Set(values)].sort());
  assertOk(await propose('glass', { values: hostile }));
});

test(
  'of two that put changes of one list into force at once, one wins',
  { tags: ['long'] },
  async () => {
    await put('race', ['a']);
    const ids = [await review('race', { values: ['b'] }), await review('race', { values: ['c'] })];
    const moved = await Promise.all(ids.map((id) => act(people.enforcer, id, 'enforcer-promote')));
    expect(moved.map(({ status }) => status).sort()).toEqual([200, 400]);
  },
);
