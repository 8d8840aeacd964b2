// Saved views: own and shared, who sees and removes them, names and numbers, the audit log.
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../setup/harness.ts';
import { assertOk, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const bob = useOwner(harness, 'Bob');
const path = '/api/v1/traces/views';
type Who = Pick<Owner, 'token'>;
let viewer: Who;
let second: string;
beforeAll(async () => {
  viewer = await createMember(harness, ada, 'viewer');
  const body = { name: 'Second' };
  const made = await app.call('POST', '/api/v1/workspaces', { token: ada.token, body });
  second = assertOk(made).body.data._id;
});

const save = (body: object, { token }: Who = ada, headers = {}): Promise<Answer> =>
  app.call('POST', path, { token, body, headers });
const remove = (id: string, { token }: Who = ada): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}`, { token });
const names = async ({ token }: Who = ada, headers = {}): Promise<string> =>
  assertOk(await app.call('GET', path, { token, headers }))
    .body.data.map(({ name }: { name: string }) => name)
    .join(' ');

test('own views are of one member, and shared ones of a workspace', async () => {
  const own = assertOk(await save({ name: 'mine', query: 'tool=cancel_*' })).body.data;
  expect(own).toMatchObject({
    name: 'mine',
    query: 'tool=cancel_*',
    shared: false,
    workspaceId: null,
    createdBy: ada.userId,
  });
  const shared = assertOk(await save({ name: 'ours', query: '', shared: true })).body.data;
  expect(shared).toMatchObject({ shared: true, workspaceId: ada.workspaceId });
  const inSecond = { 'X-Workspace-Id': second };
  assertOk(await save({ name: 'theirs', query: 'tag=HALTED', shared: true }, ada, inSecond));
  assertOk(await save({ name: 'mine', query: 'status=flagged' }, viewer));
  expect(await names()).toBe('mine ours theirs');
  expect(await names(viewer, inSecond)).toBe('mine theirs');
  expect(await names(bob)).toBe('');
  expect(toOutcome(await save({ name: 'x', query: '', shared: true }, viewer))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect(toOutcome(await remove(shared._id, viewer))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await remove(own._id, viewer))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await remove(own._id, bob))).toEqual([404, 'NOT_FOUND']);
  expect(toOutcome(await remove(shared._id, bob))).toEqual([404, 'NOT_FOUND']);
  for (const { _id } of [own, shared]) assertOk(await remove(_id));
  expect(toOutcome(await remove(own._id))).toEqual([404, 'NOT_FOUND']);
  expect(await names()).toBe('theirs');
  const entries = await listAuditEntries(app, ada, 'action=trace_view.create&status=success');
  const [entry] = entries;
  expect(entry).toMatchObject({ resource: 'trace_view', metadata: { shared: false } });
  expect(JSON.stringify(entries)).not.toContain('status=flagged');
  expect(await listAuditEntries(app, ada, 'action=trace_view.delete')).not.toEqual([]);
});

test('a name is used once by each, also at the same moment', async () => {
  const both = await Promise.all([1, 2, 3].map(() => save({ name: 'twice', query: 'a=b' })));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const answer = await save({ name: ' twice ', query: '' });
  expect(toOutcome(answer)).toEqual([409, 'ALREADY_EXISTS']);
  assertOk(await save({ name: 'twice', query: '' }, viewer));
});

test('there are a hundred at most', async () => {
  const member = await createMember(harness, ada, 'member');
  for (let at = 0; at < 100; at += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, one) =>
        assertOk(await save({ name: `view ${at + one}`, query: '' }, member)),
      ),
    );
  expect(toOutcome(await save({ name: 'one more', query: '' }, member))).toEqual([
    400,
    'INVALID_OPERATION',
  ]);
  assertOk(await save({ name: 'of another', query: '' }));
});

test.each([
  {},
  { name: '', query: '' },
  { name: ' ', query: '' },
  { name: 'x'.repeat(81), query: '' },
  { name: 'x' },
  { name: 'x', query: 'x'.repeat(2_001) },
  { name: 'x', query: 1 },
  { name: 'x', query: '', shared: 'yes' },
  { name: 'x\0', query: '' },
])('%j: 400', async (body) => {
  expect(toOutcome(await save(body))).toEqual([400, 'VALIDATION_ERROR']);
});

test('a key has no views', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  expect((await app.call('GET', path, { key })).status).toBe(403);
});
