// The story of policies over HTTP (document 2, section 4.2): every rule, every code, every audit entry.
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { policyLimits, policyTemplates } from '@assay/policy';
import { listAuditEntries } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createOwner, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const unknownId = 'a'.repeat(24);

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const spending = {
  name: 'Spending',
  conditions: [{ field: 'metadata.amount', operator: 'greater_than', value: 100 }],
  actions: [{ type: 'block', config: { reason: 'Too much' } }],
};

const post = (who: Owner, body: unknown, headers = {}): Promise<Answer> =>
  app.call('POST', path, { token: who.token, body, headers });
const get = (who: Owner, below: string, headers = {}): Promise<Answer> =>
  app.call('GET', path + below, { token: who.token, headers });
const patch = (who: Owner, id: string, body: unknown): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token: who.token, body });
const remove = (who: Owner, id: string): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}`, { token: who.token });

async function made(
  who: Owner,
  more: object = {},
  headers = {},
): Promise<{ _id: string } & Record<string, unknown>> {
  return assertOk(await post(who, { ...spending, ...more }, headers)).body.data;
}

async function newWorkspace(who: Owner, name: string): Promise<string> {
  return assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: who.token, body: { name } }),
  ).body.data._id;
}

test('a policy is created with its defaults, read, changed and removed, each with its audit entry', async () => {
  const created = await post(ada, spending);
  expect(created.status).toBe(201);
  const { data } = created.body;
  expect(data).toMatchObject({
    ...spending,
    description: '',
    enabled: true,
    priority: 1,
    revision: 1,
    matchCount: 0,
    lastMatched: null,
    organizationId: ada.organizationId,
    workspaceId: ada.workspaceId,
  });
  expect(data.id).toBe(data._id);
  expect((await get(ada, `/${data._id}`)).body.data).toEqual(data);

  const changed = await patch(ada, data._id, { enabled: false, priority: 0.5 });
  expect(changed.status).toBe(200);
  expect(changed.body.data).toEqual({
    ...data,
    enabled: false,
    priority: 0.5,
    revision: 2,
    updatedAt: changed.body.data.updatedAt,
  });

  const removed = await remove(ada, data._id);
  expect(removed.body).toEqual({
    success: true,
    data: { _id: data._id, id: data._id, deleted: true },
  });
  for (const answer of [
    await get(ada, `/${data._id}`),
    await patch(ada, data._id, { enabled: true }),
    await remove(ada, data._id),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  expect((await get(ada, '')).body.data.map((policy: { _id: string }) => policy._id)).not.toContain(
    data._id,
  );

  const entries = await listAuditEntries(app, ada, `resourceId=${data._id}`);
  expect(
    entries.map(({ action, resource, status, userId }) => ({ action, resource, status, userId })),
  ).toEqual(
    ['policy.delete', 'policy.update', 'policy.create'].map((action) => ({
      action,
      resource: 'policy',
      status: 'success',
      userId: ada.userId,
    })),
  );
});

test('names may repeat; texts are trimmed', async () => {
  const [first, second] = [
    await made(ada, { name: ' Twice ' }),
    await made(ada, { name: 'Twice' }),
  ];
  expect(first).toMatchObject({ name: 'Twice' });
  expect(first._id).not.toBe(second._id);
});

test('revisions are written by every change and never altered', async () => {
  const { _id } = await made(ada, { name: 'One' });
  await patch(ada, _id, { name: 'Two' });
  await patch(ada, _id, { conditions: [] });
  await remove(ada, _id);
  const { body } = await get(ada, `/${_id}/revisions`);
  const one = {
    ...spending,
    policyId: _id,
    description: '',
    enabled: true,
    priority: 1,
    deleted: false,
    changedBy: ada.userId,
    approval: null,
    observe: false,
  };
  expect(body.data.map(({ createdAt: _, ...revision }: { createdAt: string }) => revision)).toEqual(
    [
      { ...one, revision: 4, name: 'Two', conditions: [], deleted: true },
      { ...one, revision: 3, name: 'Two', conditions: [] },
      { ...one, revision: 2, name: 'Two' },
      { ...one, revision: 1, name: 'One' },
    ],
  );
  expect(body.pagination).toEqual({ page: 1, limit: 50, total: 4, pages: 1, hasMore: false });
  expect((await get(ada, `/${_id}/revisions/2`)).body.data).toEqual(body.data[2]);
  for (const below of [
    `/${_id}/revisions/5`,
    `/${_id}/revisions/0`,
    `/${_id}/revisions/x`,
    `/${unknownId}/revisions`,
  ])
    expect((await get(ada, below)).status).toBe(404);
});

test('a change to what is there already leaves no revision', async () => {
  const policy = await made(ada);
  for (const change of [
    {},
    { name: 'Spending', enabled: true },
    { conditions: spending.conditions },
  ]) {
    const answer = await patch(ada, policy._id, change);
    expect([answer.status, answer.body.data]).toEqual([200, policy]);
  }
});

test('concurrent changes are all kept, one revision each', { tags: ['long'] }, async () => {
  const { _id } = await made(ada);
  const changes = Array.from({ length: 12 }, (_, i) =>
    i % 2 === 0 ? { priority: 100 + i } : { description: `change ${i}` },
  );
  const answers = await Promise.all(changes.map((change) => patch(ada, _id, change)));
  expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
  const revisions = (await get(ada, `/${_id}/revisions`)).body.data;
  expect(revisions.map(({ revision }: { revision: number }) => revision)).toEqual(
    Array.from({ length: 13 }, (_, i) => 13 - i),
  );
  const { priority, description } = revisions[0];
  expect(priority).toBeGreaterThanOrEqual(100);
  expect(description).toMatch(/^change/);
  expect((await get(ada, `/${_id}`)).body.data).toMatchObject({
    revision: 13,
    priority,
    description,
  });
});

test('conditions and actions come back exactly as they were given', async () => {
  const odd = {
    'a.b': 1,
    $gt: 2,
    $set: { $inc: 1 },
    '': 3,
    _id: 4,
    __v: 5,
    toJSON: 6,
    length: 7,
    valueOf: 8,
    hasOwnProperty: null,
    empty: {},
    none: [],
    nested: [[[{}]]],
    half: 0.1,
    big: 2 ** 53 - 1,
    tiny: 5e-324,
  };
  const contents = {
    conditions: [
      { field: 'metadata.odd', operator: 'equals', value: odd, logicalOperator: 'OR' },
      { field: 'metadata.none', operator: 'equals', value: null },
      { field: 'metadata.list', operator: 'equals', value: [odd, ' kept ', 1.5e-300] },
    ],
    actions: [
      { type: 'notify', config: odd },
      { type: 'approve', config: {} },
      { type: 'flag_for_review' },
    ],
  };
  const created = await made(ada, contents);
  expect([created.conditions, created.actions]).toEqual([contents.conditions, contents.actions]);
  const { _id } = await made(ada);
  const changed = await patch(ada, _id, contents);
  for (const answer of [changed, await get(ada, `/${_id}`), await get(ada, `/${_id}/revisions/2`)])
    expect(answer.body.data).toMatchObject(contents);
  await remove(ada, _id);
  await remove(ada, created._id);
});

const condition = spending.conditions[0];
const regex = (value: unknown) => ({
  conditions: [{ field: 'output.text', operator: 'regex', value }],
});

test.each<[string, object, string]>([
  ['no name', { name: undefined }, 'name'],
  ['a blank name', { name: '  ' }, 'name'],
  ['a long name', { name: 'x'.repeat(101) }, 'name'],
  ['a name that is no text', { name: { $ne: null } }, 'name'],
  ['a long description', { description: 'x'.repeat(501) }, 'description'],
  ['enabled as text', { enabled: 'true' }, 'enabled'],
  ['a priority as text', { priority: '1' }, 'priority'],
  ['no conditions', { conditions: undefined }, 'conditions'],
  ['conditions that are no array', { conditions: condition }, 'conditions'],
  [
    'too many conditions',
    { conditions: Array(policyLimits.conditions + 1).fill(condition) },
    'conditions',
  ],
  ['a misspelt member', { conditions: [{ ...condition, logicalOperater: 'OR' }] }, 'conditions.0'],
  [
    'an unknown operator',
    { conditions: [{ ...condition, operator: 'is' }] },
    'conditions.0.operator',
  ],
  ['no value', { conditions: [{ field: 'tags', operator: 'contains' }] }, 'conditions.0.value'],
  [
    'a value that has no order',
    { conditions: [condition, { ...condition, value: 'high' }] },
    'conditions.1.value',
  ],
  [
    'a field that reaches into a prototype',
    { conditions: [{ ...condition, field: '__proto__.x' }] },
    'conditions.0.field',
  ],
  ['a pattern that is none', regex('('), 'conditions.0.value'],
  ['a pattern with look-ahead', regex('(?=a)b'), 'conditions.0.value'],
  ['a pattern with a back-reference', regex('(a)\\1'), 'conditions.0.value'],
  ['a pattern too large', regex('[a-z]{600}'), 'conditions.0.value'],
  ['a pattern that is no text', regex(5), 'conditions.0.value'],
  ...['_bsontype', 'constructor', 'prototype'].map((name): [string, object, string] => [
    `a value with the member ${name}`,
    { conditions: [{ ...condition, operator: 'equals', value: [{ [name]: 'x' }] }] },
    'conditions.0.value',
  ]),
  [
    'a config with a reserved member',
    { actions: [{ type: 'notify', config: { constructor: 1 } }] },
    'actions.0.config',
  ],
  ['no actions', { actions: [] }, 'actions'],
  ['actions that are no array', { actions: {} }, 'actions'],
  ['an unknown action', { actions: [{ type: 'allow' }] }, 'actions.0.type'],
  ['a config that is no object', { actions: [{ type: 'block', config: 'x' }] }, 'actions.0.config'],
  [
    'a config that is too large',
    { actions: [{ type: 'block', config: { x: 'x'.repeat(policyLimits.json) } }] },
    'actions.0.config',
  ],
])('%s is refused with its place', async (_what, wrong, place) => {
  const created = await post(eve, { ...spending, ...wrong });
  expect([created.status, created.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(created.body.data.issues.map(({ path }: { path: string }) => path)).toContain(place);
  const { _id } = await made(ada);
  const changed = await patch(ada, _id, wrong);
  if (Object.values(wrong)[0] === undefined) expect(changed.status).toBe(200);
  else expect([changed.status, changed.body.data.issues]).toEqual([400, created.body.data.issues]);
  expect((await get(ada, `/${_id}`)).body.data.revision).toBe(1);
  await remove(ada, _id);
});

test('lists are paged, newest first', async () => {
  const bob = await createOwner(app, 'Bob');
  for (const name of ['a', 'b', 'c']) await made(bob, { name });
  const page = await get(bob, '?limit=2');
  expect(page.body.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b']);
  expect(page.body).toMatchObject({
    count: 2,
    total: 3,
    pagination: { page: 1, limit: 2, total: 3, pages: 2, hasMore: true },
  });
  const last = await get(bob, '?limit=2&page=2');
  expect(last.body.data.map(({ name }: { name: string }) => name)).toEqual(['a']);
  expect((await get(bob, '?limit=1000')).body.pagination.limit).toBe(200);
  expect((await get(bob, '?page=0')).body.code).toBe('VALIDATION_ERROR');
});

test('a policy belongs to the workspace of the body, else of the header, else to the default one', async () => {
  const [east, west] = [await newWorkspace(ada, 'East'), await newWorkspace(ada, 'West')];
  const inEast = { 'x-workspace-id': east };
  const byHeader = await made(ada, {}, inEast);
  const byBody = await made(ada, { workspaceId: west }, inEast);
  expect([byHeader.workspaceId, byBody.workspaceId]).toEqual([east, west]);
  expect((await get(ada, '', inEast)).body.data).toEqual([byHeader]);
  for (const below of [`/${byBody._id}`, `/${byBody._id}/revisions`, `/${byBody._id}/revisions/1`])
    expect((await get(ada, below, inEast)).status).toBe(404);
  const moved = await patch(ada, byBody._id, { workspaceId: east });
  expect(moved.body.data).toEqual(byBody);
  for (const workspaceId of [unknownId, eve.workspaceId]) {
    const answer = await post(ada, { ...spending, workspaceId });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  }
  expect((await get(ada, '', { 'x-workspace-id': eve.workspaceId })).status).toBe(404);
});

test('a workspace key reads and never writes; one of a workspace reads that workspace', async () => {
  const south = await newWorkspace(ada, 'South');
  const policy = await made(ada, {}, { 'x-workspace-id': south });
  const elsewhere = await made(ada);
  const { key } = await createWorkspaceKey(app, ada, { workspaceId: south });
  expect((await app.call('GET', path, { key })).body.data).toEqual([policy]);
  expect((await app.call('GET', `${path}/${elsewhere._id}`, { key })).status).toBe(404);
  const written = await app.call('POST', path, { key, body: spending });
  expect([written.status, written.body.code]).toEqual([403, 'FORBIDDEN']);
});

test("another organisation's policies are unknown", async () => {
  const { _id } = await made(ada);
  const unknown = await get(eve, `/${unknownId}`);
  for (const answer of [
    await get(eve, `/${_id}`),
    await patch(eve, _id, { enabled: false }),
    await remove(eve, _id),
    await get(eve, `/${_id}/revisions`),
    await get(eve, `/${_id}/revisions/1`),
    await get(eve, '/no-id'),
  ])
    expect([answer.status, answer.body]).toEqual([404, unknown.body]);
  expect((await get(ada, `/${_id}`)).body.data).toMatchObject({ enabled: true, revision: 1 });
});

test.each(['member', 'viewer', 'reviewer'])(
  'a %s reads and is refused every change, on record',
  async (role) => {
    const bob = await createOwner(app, 'Bob');
    const policy = await made(bob);
    const memberships = harness.db.collection('memberships');
    const userId = new mongoose.Types.ObjectId(bob.userId);
    await memberships.updateOne({ userId }, { $set: { role } });
    expect((await get(bob, '')).body.data).toEqual([policy]);
    for (const answer of [
      await post(bob, spending),
      await patch(bob, policy._id, { enabled: false }),
      await remove(bob, policy._id),
      await app.call('POST', `${path}/from-template`, {
        token: bob.token,
        body: { templateId: 'low-confidence' },
      }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    await memberships.updateOne({ userId }, { $set: { role: 'owner' } });
    const failures = await listAuditEntries(app, bob, 'status=failure&resource=policy');
    expect(
      failures.map(({ action, resourceId, userRole }) => ({ action, resourceId, userRole })),
    ).toEqual([
      { action: 'policy.create', resourceId: null, userRole: role },
      { action: 'policy.delete', resourceId: policy._id, userRole: role },
      { action: 'policy.update', resourceId: policy._id, userRole: role },
      { action: 'policy.create', resourceId: null, userRole: role },
    ]);
  },
);

test('an auditor does not see the list of policies', async () => {
  const bob = await createOwner(app, 'Bob');
  const userId = new mongoose.Types.ObjectId(bob.userId);
  await harness.db.collection('memberships').updateOne({ userId }, { $set: { role: 'auditor' } });
  expect((await get(bob, '')).body.code).toBe('FORBIDDEN');
});

test('every template becomes a policy; its name can be replaced', async () => {
  const bob = await createOwner(app, 'Bob');
  const templates = (await get(bob, '/templates')).body.data;
  expect(templates).toEqual(policyTemplates);
  const fromTemplate = (body: object) =>
    app.call('POST', `${path}/from-template`, { token: bob.token, body });
  for (const { id: templateId, name, description, conditions, actions } of policyTemplates) {
    const answer = await fromTemplate({ templateId });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      name,
      description,
      conditions,
      actions,
      enabled: true,
      priority: 1,
      revision: 1,
      workspaceId: bob.workspaceId,
    });
  }
  const [{ id: templateId }] = templates;
  expect((await fromTemplate({ templateId, name: ' Ours ' })).body.data.name).toBe('Ours');
  expect((await fromTemplate({ templateId: 'no-such' })).body.code).toBe('NOT_FOUND');
  for (const wrong of [{}, { templateId: 5 }, { templateId, name: '' }])
    expect((await fromTemplate(wrong)).body.code).toBe('VALIDATION_ERROR');
  expect(await listAuditEntries(app, bob, 'action=policy.create&limit=200')).toHaveLength(
    policyTemplates.length + 1,
  );
});
