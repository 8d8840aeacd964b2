// Policies at work over HTTP: which set judges a decision, who wins, and what a digest resolves to (document 2, policy evaluation rules).
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { computePolicySetDigest } from '../../domain/record/policy-set-digest.ts';
import { workspaceLimits } from '../../../src/domain/policies/workspace-limits.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import {
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const always = { name: 'Always', conditions: [] };

let app: TestApp;
let second: TestApp;
let database: mongoose.Connection;
beforeAll(async () => {
  const mongoUri = createDatabaseUri();
  database = await mongoose.createConnection(mongoUri).asPromise();
  app = await startApp({}, { mongoUri });
  second = await startApp({}, { mongoUri });
});
afterAll(async () => {
  await app.stop();
  await second.stop();
  await database.close();
});

interface Operator extends Owner {
  key: string;
}

async function operator(): Promise<Operator> {
  const ada = await createOwner(app);
  return { ...ada, ...(await createWorkspaceKey(app, ada)) };
}

const create = ({ token }: Owner, policy: object, headers = {}): Promise<Answer> =>
  app.call('POST', path, { token, body: policy, headers });
const change = ({ token }: Owner, id: string, body: object): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token, body });

async function made(
  who: Owner,
  policy: object,
  headers = {},
): Promise<{ _id: string } & Record<string, unknown>> {
  return assertOk(await create(who, policy, headers)).body.data;
}

async function verdictOf({ key }: Operator, on = app, headers = {}): Promise<[number, string]> {
  const { status, body } = await on.call('POST', '/api/v1/traces', {
    key,
    body: buildDecision('bot'),
    headers,
  });
  return [status, body.data.status];
}

/** Returns the digest of the newest decision's policy set, as the chain commits to it. */
async function newestDigest({ organizationId }: Owner): Promise<string> {
  const entry = await database
    .collection<{ view: string }>(DECISIONS.collection)
    .findOne(
      { organizationId: new mongoose.Types.ObjectId(organizationId) },
      { sort: { sequence: -1 } },
    );
  return (JSON.parse(entry?.view ?? '{}') as { policySetDigest: string }).policySetDigest;
}

test('the strongest action of all matched policies wins, whatever the priorities', async () => {
  const ada = await operator();
  const judged = async (): Promise<unknown[]> => {
    const { status, body } = await app.call('POST', '/api/v1/traces', {
      key: ada.key,
      body: buildDecision('bot'),
    });
    return [status, body.data.status, body.data.matchedPolicy];
  };
  expect(await judged()).toEqual([201, 'approved', null]);
  await made(ada, { ...always, priority: 1, actions: [{ type: 'approve' }] });
  await made(ada, { ...always, priority: 2, actions: [{ type: 'notify' }] });
  expect(await judged()).toEqual([201, 'approved', null]);
  await made(ada, { ...always, name: 'Late', priority: 9, actions: [{ type: 'flag_for_review' }] });
  await made(ada, {
    ...always,
    name: 'Early',
    priority: 8,
    description: 'Described',
    actions: [{ type: 'notify' }, { type: 'flag_for_review' }],
  });
  expect(await judged()).toEqual([202, 'flagged', { name: 'Early', reason: 'Described' }]);
  const action = { type: 'block', config: { reason: 'Not today' } };
  const blocking = await made(ada, { ...always, name: 'Stop', priority: 99, actions: [action] });
  expect(await judged()).toEqual([403, 'blocked', { name: 'Stop', reason: 'Not today' }]);
  await change(ada, blocking._id, { enabled: false });
  expect((await judged())[1]).toBe('flagged');
});

test(
  'a decision posted after the answer of a change is judged by the changed set',
  { tags: ['varied'] },
  async () => {
    const ada = await operator();
    const blocks = [{ type: 'block' }];
    expect(await verdictOf(ada)).toEqual([201, 'approved']);
    const { _id } = await made(ada, { ...always, actions: blocks });
    expect(await verdictOf(ada)).toEqual([403, 'blocked']);
    for (let round = 0; round < chooseRuns(1, 5); round++) {
      // Decisions under way while the set changes must not leave the old set behind.
      const during = Promise.all(Array.from({ length: 4 }, () => verdictOf(ada)));
      await change(ada, _id, { enabled: false });
      expect(await verdictOf(ada)).toEqual([201, 'approved']);
      await change(ada, _id, { enabled: true });
      expect(await verdictOf(ada)).toEqual([403, 'blocked']);
      await during;
    }
    await app.call('DELETE', `${path}/${_id}`, { token: ada.token });
    expect(await verdictOf(ada)).toEqual([201, 'approved']);
  },
);

test(
  'a change reaches the other instance without a request of its own',
  { tags: ['long'] },
  async () => {
    const ada = await operator();
    expect(await verdictOf(ada, second)).toEqual([201, 'approved']);
    const { _id } = await made(ada, { ...always, actions: [{ type: 'block' }] });
    await expect.poll(() => verdictOf(ada, second)).toEqual([403, 'blocked']);
    await change(ada, _id, { enabled: false });
    await expect.poll(() => verdictOf(ada, second)).toEqual([201, 'approved']);
  },
);

test('only the policies of the workspace that a decision belongs to judge it', async () => {
  const ada = await operator();
  const { token } = ada;
  const { _id: lab } = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token, body: { name: 'Lab' } }),
  ).body.data;
  await made(ada, { ...always, actions: [{ type: 'block' }] }, { 'x-workspace-id': lab });
  expect(await verdictOf(ada)).toEqual([201, 'approved']);
  expect(await verdictOf(ada, app, { 'x-workspace-id': lab })).toEqual([403, 'blocked']);
});

test('naming a workspace adds its policies to those that judge without it', async () => {
  const ada = await operator();
  const { token } = ada;
  const create = async (name: string): Promise<string> =>
    assertOk(await app.call('POST', '/api/v1/workspaces', { token, body: { name } })).body.data._id;
  const [empty, strict] = [await create('Empty'), await create('Strict')];
  const { _id } = await made(ada, { ...always, actions: [{ type: 'block' }] });
  await made(
    ada,
    { ...always, actions: [{ type: 'flag_for_review' }] },
    { 'x-workspace-id': strict },
  );
  expect(await verdictOf(ada)).toEqual([403, 'blocked']);
  for (const named of [empty, strict])
    expect(await verdictOf(ada, app, { 'x-workspace-id': named })).toEqual([403, 'blocked']);
  await change(ada, _id, { enabled: false });
  expect(await verdictOf(ada, app, { 'x-workspace-id': empty })).toEqual([201, 'approved']);
  expect(await verdictOf(ada, app, { 'x-workspace-id': strict })).toEqual([202, 'flagged']);
  expect(await verdictOf(ada)).toEqual([201, 'approved']);
});

test('a digest resolves to the revisions that it covers, also that of no policies', async () => {
  const ada = await operator();
  const resolve = (digest: string, { token }: Owner = ada) =>
    app.call('GET', `${path}/sets/${digest}`, { token });
  await Promise.all(Array.from({ length: 8 }, () => verdictOf(ada)));
  const none = await newestDigest(ada);
  expect(none).toBe(computePolicySetDigest([]));
  expect((await resolve(none)).body.data).toMatchObject({ digest: none, members: [] });

  const flags = [{ type: 'flag_for_review', config: { b: 1, a: [{}] } }];
  const conditions = [{ field: 'metadata.x', operator: 'equals', value: { z: 1, a: null } }];
  const late = await made(ada, { ...always, priority: 2, actions: flags });
  const early = await made(ada, { name: 'First', conditions, priority: 1.5, actions: flags });
  await made(ada, { ...always, enabled: false, actions: flags });
  await change(ada, late._id, { actions: [...flags, { type: 'notify' }] });
  await verdictOf(ada);
  const digest = await newestDigest(ada);
  const { members } = (await resolve(digest)).body.data;
  expect(members).toEqual([
    { id: early._id, revision: 1 },
    { id: late._id, revision: 2 },
  ]);
  await app.call('DELETE', `${path}/${early._id}`, { token: ada.token });
  const covered = await Promise.all(
    members.map(async ({ id, revision }: { id: string; revision: number }) => ({
      ...assertOk(
        await app.call('GET', `${path}/${id}/revisions/${revision}`, { token: ada.token }),
      ).body.data,
      id,
    })),
  );
  expect(computePolicySetDigest(covered)).toBe(digest);

  const bob = await operator();
  for (const answer of [
    await resolve(digest, bob),
    await resolve('0'.repeat(64)),
    await resolve('x'),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
});

test('the regular expressions that a workspace enables are limited together', async () => {
  const ada = await operator();
  const heavy = (field: string) => ({
    name: field,
    conditions: Array.from({ length: 12 }, (_, i) => ({
      field,
      operator: 'regex',
      value: `[a-z]{${400 + i}}`,
    })),
    actions: [{ type: 'notify' }],
  });
  await made(ada, heavy('inputContext.prompt'));
  const first = await made(ada, heavy('rationale'));
  const refused = await create(ada, heavy('output.text'));
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_OPERATION']);
  expect(refused.body.error).toContain(String(workspaceLimits.instructions));
  await made(ada, heavy('rationale'));
  const off = await made(ada, { ...heavy('output.text'), enabled: false });
  expect((await change(ada, off._id, { enabled: true })).body.code).toBe('INVALID_OPERATION');
  expect((await app.call('GET', `${path}/${off._id}`, { token: ada.token })).body.data).toEqual(
    off,
  );
  expect(
    (await change(ada, first._id, { conditions: heavy('output.text').conditions })).body.code,
  ).toBe('INVALID_OPERATION');
  const { _id: lab } = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'Lab' } }),
  ).body.data;
  expect((await create(ada, { ...heavy('output.text'), workspaceId: lab })).status).toBe(201);
  const failures = await app.call('GET', '/api/v1/audit?status=failure', { token: ada.token });
  expect(failures.body.data.entries.map(({ action }: { action: string }) => action)).toEqual([
    'policy.update',
    'policy.update',
    'policy.create',
  ]);
});
