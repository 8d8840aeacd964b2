// Workspaces over HTTP: the default one, list, create, rename, choose (document 1, section 1).
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember } from '../../setup/harness.ts';
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/workspaces';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const create = (name: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', path, { token, body: { name } });
const rename = (id: string, name: string, { token } = ada): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token, body: { name } });
const list = ({ token } = ada): Promise<Answer> => app.call('GET', path, { token });

test('an organisation begins with its default workspace', async () => {
  const { status, body } = await list(eve);
  expect([status, body.data]).toEqual([
    200,
    [
      {
        _id: eve.workspaceId,
        organizationId: eve.organizationId,
        name: 'Default',
        isDefault: true,
        escalationPolicy: { escalateTo: null },
        reviewSla: { critical: null, high: null, medium: null, low: null },
        reviewExpiry: null,
        observed: { review: false },
        preventSelfReview: { actor: 'where-possible', keyMaker: 'off', agentOwner: 'off' },
        reviewLinks: 'sign-in',
        keys: 'any',
        sessions: { by: 'name', idleHours: 24 },
        autoApproval: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ],
  ]);
});

test('a workspace is made, renamed and listed, newest first, with its audit entries', async () => {
  const made = await create('  Research ');
  expect([made.status, made.body.data.name, made.body.data.isDefault]).toEqual([
    201,
    'Research',
    false,
  ]);
  const { _id } = made.body.data;
  const renamed = await rename(_id, 'Laboratory');
  expect([renamed.status, renamed.body.data.name]).toEqual([200, 'Laboratory']);
  expect((await list()).body.data.map(({ name }: { name: string }) => name)).toEqual([
    'Laboratory',
    'Default',
  ]);
  expect((await rename(ada.workspaceId, 'Main')).body.data).toMatchObject({
    name: 'Main',
    isDefault: true,
  });
  const entries = await listAuditEntries(app, ada, `resource=workspace&resourceId=${_id}`);
  expect(entries.map(({ action, status }) => [action, status])).toEqual([
    ['workspace.update', 'success'],
    ['workspace.create', 'success'],
  ]);
});

test('a name is taken once in an organisation, also when asked for at the same time', async () => {
  const answers = await Promise.all([create('Twice'), create('Twice'), create('Twice')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect((await create('Twice', eve)).status).toBe(201);
  const other = assertOk(await create('Other')).body.data;
  expect(toOutcome(await rename(other._id, 'Twice'))).toEqual([409, 'ALREADY_EXISTS']);
  expect(toOutcome(await rename(other._id, 'Other'))).toEqual([200, undefined]);
});

test.each(['', '   ', 'x'.repeat(101), null, 7, ['a'], { $ne: null }])(
  'the name %j is refused',
  async (name) => {
    expect(toOutcome(await create(name))).toEqual([400, 'VALIDATION_ERROR']);
  },
);

test('only owners and admins change workspaces; everybody who reads lists them', async () => {
  const { _id } = assertOk(await create('Guarded')).body.data;
  expect((await create('By admin', await createMember(harness, ada, 'admin'))).status).toBe(201);
  for (const role of ['reviewer', 'member', 'viewer']) {
    const person = await createMember(harness, ada, role);
    expect((await list(person)).status, role).toBe(200);
    expect(toOutcome(await create('No', person)), role).toEqual([403, 'FORBIDDEN']);
    expect(toOutcome(await rename(_id, 'No', person)), role).toEqual([403, 'FORBIDDEN']);
  }
  expect(toOutcome(await list(await createMember(harness, ada, 'auditor')))).toEqual([
    403,
    'FORBIDDEN',
  ]);
});

test('a workspace of another organisation cannot be renamed or chosen', async () => {
  expect(toOutcome(await rename(eve.workspaceId, 'Mine'))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await rename('no-id', 'Mine'))).toEqual([404, 'NOT_FOUND']);
  for (const wanted of [eve.workspaceId, 'a'.repeat(24), 'no id']) {
    const answer = await app.call('GET', path, {
      token: ada.token,
      headers: { 'x-workspace-id': wanted },
    });
    expect(toOutcome(answer), wanted).toEqual([404, 'NOT_FOUND']);
  }
});

test('a chosen workspace shows its own records; without a choice all are shown', async () => {
  const { _id: lab } = assertOk(await create('Chosen')).body.data;
  const make = (name: string, headers = {}): Promise<Answer> =>
    app.call('POST', '/api/v1/agents', { token: ada.token, body: { name }, headers });
  const names = async (headers = {}): Promise<string[]> =>
    assertOk(await app.call('GET', '/api/v1/agents', { token: ada.token, headers })).body.data.map(
      ({ name }: { name: string }) => name,
    );
  const inLab = assertOk(await make('in the laboratory', { 'x-workspace-id': lab })).body.data;
  assertOk(await make('in the default workspace'));
  expect(inLab.workspaceId).toBe(lab);
  expect(await names({ 'x-workspace-id': lab })).toEqual(['in the laboratory']);
  expect(await names({ 'x-workspace-id': ada.workspaceId })).toEqual(['in the default workspace']);
  expect(await names()).toEqual(['in the default workspace', 'in the laboratory']);
  expect(await names({ 'x-workspace-id': '' })).toHaveLength(2);
});

test('a workspace key lists workspaces and changes none', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  expect((await app.call('GET', path, { key })).status).toBe(200);
  expect(toOutcome(await app.call('POST', path, { key, body: { name: 'No' } }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
});
