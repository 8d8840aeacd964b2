// The onboarding of agents over HTTP (document 1, section 4.3): a draft to resume, its progress, its two ends.
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { listAuditEntries } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { buildDecision, assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/agents';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

interface Agent {
  _id: string;
  apiKey: string;
  onboardingProgress: object | null;
}

async function made(who: Owner, body: object = { onboarding: true }, headers = {}): Promise<Agent> {
  return assertOk(
    await app.call('POST', path, { token: who.token, headers, body: { name: 'Draft', ...body } }),
  ).body.data;
}
const draftOf = async ({ token }: Owner, headers = {}): Promise<Agent | null> =>
  assertOk(await app.call('GET', `${path}/onboarding/draft`, { token, headers })).body.data.agent;
const save = ({ token }: Owner, id: string, body: unknown): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}/onboarding`, { token, body });
const complete = ({ token }: Owner, id: string): Promise<Answer> =>
  app.call('POST', `${path}/${id}/onboarding/complete`, { token });
const discard = ({ token }: Owner, id: string): Promise<Answer> =>
  app.call('DELETE', `${path}/${id}/onboarding`, { token });
const read = async ({ token }: Owner, id: string): Promise<Agent> =>
  assertOk(await app.call('GET', `${path}/${id}`, { token })).body.data;
const toStatusAndCode = ({ status, body }: Answer): unknown[] => [status, body.code];

async function become({ userId }: Owner, role: string): Promise<void> {
  const filter = { userId: new mongoose.Types.ObjectId(userId) };
  await harness.db.collection('memberships').updateOne(filter, { $set: { role } });
}
/** Creates another member in the organisation of `owner`. */
async function colleague(owner: Owner, role: string): Promise<Owner> {
  const person = await createOwner(app, 'Bea');
  const [organizationId, userId] = [owner.organizationId, person.userId].map(
    (id) => new mongoose.Types.ObjectId(id),
  );
  const row = { organizationId, userId, role, isActive: true, deactivatedBy: null };
  await harness.db
    .collection('memberships')
    .insertOne({ ...row, createdAt: new Date(), updatedAt: new Date() });
  const body = { organizationId: owner.organizationId };
  const { data } = assertOk(
    await app.call('POST', '/api/v1/auth/switch-org', { token: person.token, body }),
  ).body;
  return { ...person, token: data.token };
}

test('asking for a draft makes none', async () => {
  const bob = await createOwner(app, 'Bob');
  await made(bob, {});
  const before = await harness.db.collection('agents').countDocuments();
  const answer = await app.call('GET', `${path}/onboarding/draft`, { token: bob.token });
  expect([answer.status, answer.body]).toEqual([200, { success: true, data: { agent: null } }]);
  expect(await draftOf(bob)).toBeNull();
  expect(await harness.db.collection('agents').countDocuments()).toBe(before);
});

test('a draft is resumed where it was left, and completed once', async () => {
  const { apiKey, ...draft } = await made(ada);
  expect(draft.onboardingProgress).toEqual({ currentStep: 1 });
  expect(await draftOf(ada)).toEqual(draft);
  for (const [sent, kept] of [
    [
      { currentStep: 2, data: { useCase: 'support', volume: 12.5, live: false, note: null } },
      undefined,
    ],
    [
      { currentStep: 3 },
      { currentStep: 3, data: { useCase: 'support', volume: 12.5, live: false, note: null } },
    ],
    [{ currentStep: 2, data: { useCase: 'sales' } }, undefined],
    [{ currentStep: 2, data: {} }, undefined],
    [{ currentStep: 1 }, { currentStep: 1, data: {} }],
  ]) {
    const saved = await save(ada, draft._id, sent);
    expect([saved.status, saved.body.data.onboardingProgress]).toEqual([200, kept ?? sent]);
    expect(await draftOf(ada)).toEqual(saved.body.data);
  }
  const completed = await complete(ada, draft._id);
  expect(completed.body.data).toEqual({
    ...draft,
    onboardingProgress: null,
    updatedAt: completed.body.data.updatedAt,
  });
  expect(await draftOf(ada)).toBeNull();
  expect(
    (await app.call('POST', '/api/v1/traces', { key: apiKey, body: buildDecision(draft._id) }))
      .status,
  ).toBe(201);
  for (const answer of [
    await complete(ada, draft._id),
    await save(ada, draft._id, { currentStep: 2 }),
    await discard(ada, draft._id),
  ])
    expect(toStatusAndCode(answer)).toEqual([400, 'INVALID_OPERATION']);
  expect((await read(ada, draft._id)).onboardingProgress).toBeNull();
});

test('a discarded draft is gone, and its key with it', async () => {
  const { _id, apiKey } = await made(ada);
  expect(
    (await app.call('POST', '/api/v1/traces', { key: apiKey, body: buildDecision(_id) })).status,
  ).toBe(201);
  expect((await discard(ada, _id)).body).toEqual({
    success: true,
    data: { _id, id: _id, deleted: true },
  });
  expect(await draftOf(ada)).toBeNull();
  expect(
    toStatusAndCode(
      await app.call('POST', '/api/v1/traces', { key: apiKey, body: buildDecision(_id) }),
    ),
  ).toEqual([401, 'INVALID_API_KEY']);
  for (const answer of [
    await discard(ada, _id),
    await complete(ada, _id),
    await save(ada, _id, { currentStep: 2 }),
  ])
    expect(toStatusAndCode(answer)).toEqual([404, 'NOT_FOUND']);
});

test('an agent without onboarding has none to save, complete or discard', async () => {
  const { _id } = await made(ada, {});
  for (const answer of [
    await save(ada, _id, { currentStep: 1 }),
    await complete(ada, _id),
    await discard(ada, _id),
  ])
    expect(toStatusAndCode(answer)).toEqual([400, 'INVALID_OPERATION']);
  expect((await read(ada, _id)).onboardingProgress).toBeNull();
});

test('every change has its audit entry, a refused one too', async () => {
  const [first, second] = [await made(ada), await made(ada)];
  await save(ada, first._id, { currentStep: 2 });
  await complete(ada, first._id);
  await complete(ada, first._id);
  await discard(ada, second._id);
  const entries = await listAuditEntries(app, ada, `resourceId=${first._id}`);
  expect(
    entries.map(({ action, status, resource, userId }) => [action, status, resource, userId]),
  ).toEqual(
    [
      ['agent.complete_onboarding', 'failure'],
      ['agent.complete_onboarding', 'success'],
      ['agent.update_onboarding', 'success'],
      ['agent.create', 'success'],
    ].map((entry) => [...entry, 'agent', ada.userId]),
  );
  expect(
    (await listAuditEntries(app, ada, `resourceId=${second._id}`)).map(({ action }) => action),
  ).toEqual(['agent.discard_onboarding', 'agent.create']);
});

test('the newest draft of one’s own comes first; others have theirs', async () => {
  const bob = await createOwner(app, 'Bob');
  const bea = await colleague(bob, 'admin');
  const [older, newer] = [await made(bob), await made(bob)];
  expect((await draftOf(bob))?._id).toBe(newer._id);
  expect(await draftOf(bea)).toBeNull();
  const hers = await made(bea);
  expect([(await draftOf(bob))?._id, (await draftOf(bea))?._id]).toEqual([newer._id, hers._id]);
  assertOk(await complete(bea, newer._id));
  expect((await draftOf(bob))?._id).toBe(older._id);
  assertOk(await app.call('DELETE', `${path}/${older._id}`, { token: bob.token }));
  expect(await draftOf(bob)).toBeNull();
});

test('the header chooses the workspace of the draft', async () => {
  const bob = await createOwner(app, 'Bob');
  const { _id: lab } = assertOk(
    await app.call('POST', '/api/v1/workspaces', { token: bob.token, body: { name: 'Lab' } }),
  ).body.data;
  const inLab = { 'x-workspace-id': lab };
  const elsewhere = await made(bob);
  expect(await draftOf(bob, inLab)).toBeNull();
  const there = await made(bob, { onboarding: 'yes' }, inLab);
  expect((await draftOf(bob, inLab))?._id).toBe(there._id);
  expect((await draftOf(bob, { 'x-workspace-id': bob.workspaceId }))?._id).toBe(elsewhere._id);
});

test.each<[unknown, string]>([
  [{}, 'currentStep'],
  [{ currentStep: 0 }, 'currentStep'],
  [{ currentStep: 4 }, 'currentStep'],
  [{ currentStep: 1.5 }, 'currentStep'],
  [{ currentStep: '2' }, 'currentStep'],
  [{ currentStep: null }, 'currentStep'],
  [{ currentStep: 2, data: [] }, 'data'],
  [{ currentStep: 2, data: { nested: { a: 1 } } }, 'data.nested'],
  [{ currentStep: 2, data: { $ne: 1 } }, 'data.$ne'],
  [{ currentStep: 2, data: { 'a.b': 1 } }, 'data.a.b'],
  [{ currentStep: 2, data: { long: 'x'.repeat(2001) } }, 'data.long'],
  [
    {
      currentStep: 2,
      data: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, i])),
    },
    'data',
  ],
])('progress %j is refused', async (wrong, place) => {
  const answer = await save(ada, 'a'.repeat(24), wrong);
  expect(toStatusAndCode(answer)).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(answer.body.data.issues.map((issue: { path: string }) => issue.path)).toEqual([place]);
});

test('names of answers are only names', async () => {
  const { _id } = await made(ada);
  const data = { constructor: 'a', toString: 'b', hasOwnProperty: false };
  expect((await save(ada, _id, { currentStep: 1, data })).body.data.onboardingProgress).toEqual({
    currentStep: 1,
    data,
  });
});

test('users who do not manage agents see and change no draft', async () => {
  const bob = await createOwner(app, 'Bob');
  const { _id } = await made(bob);
  for (const role of ['reviewer', 'member', 'viewer']) {
    const person = await colleague(bob, role);
    expect(await draftOf(person)).toBeNull();
    for (const answer of [
      await save(person, _id, { currentStep: 2 }),
      await complete(person, _id),
      await discard(person, _id),
    ])
      expect(toStatusAndCode(answer)).toEqual([403, 'FORBIDDEN']);
  }
  await become(bob, 'viewer');
  expect((await draftOf(bob))?._id).toBe(_id);
  expect(toStatusAndCode(await complete(bob, _id))).toEqual([403, 'FORBIDDEN']);
});

test("another organisation's draft is unknown", async () => {
  const eve = await createOwner(app, 'Eve');
  const { _id } = await made(ada);
  expect(await draftOf(eve)).toBeNull();
  for (const id of [_id, 'a'.repeat(24), 'none'])
    for (const answer of [
      await save(eve, id, { currentStep: 2 }),
      await complete(eve, id),
      await discard(eve, id),
    ])
      expect(toStatusAndCode(answer)).toEqual([404, 'NOT_FOUND']);
  expect((await read(ada, _id)).onboardingProgress).toEqual({ currentStep: 1 });
});

test(
  'completed and discarded at the same time, one of them counts',
  { tags: ['long'] },
  async () => {
    for (let round = 0; round < 10; round++) {
      const { _id } = await made(ada);
      const [completed, discarded] = await Promise.all([complete(ada, _id), discard(ada, _id)]);
      expect([completed.status, discarded.status].toSorted()).toEqual(
        completed.status === 200 ? [200, 400] : [200, 404],
      );
      const { status } = await app.call('GET', `${path}/${_id}`, { token: ada.token });
      expect(status).toBe(completed.status === 200 ? 200 : 404);
    }
  },
);
