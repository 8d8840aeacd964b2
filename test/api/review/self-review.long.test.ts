// No one decides about themselves: whom `actor` names, who made the key, who registered the agent (reviews.md).
// @module-tag long
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readActors } from '../../../src/decisions/traces/traces.view.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { changeMembership, createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, createAgent, createWorkspaceKey, type Owner } from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';
import { path, useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const { hold, list, decide, decideAll, read, verify, entriesOf } = useReviews(harness, ada);
const REFUSED = [403, 'FORBIDDEN'];
let bob: Owner;
let bobsKey: string;
let bobsAgent: { id: string; key: string };

const ruled = async (preventSelfReview: object, who = ada): Promise<Answer> =>
  app.call('PATCH', `/api/v1/workspaces/${ada.workspaceId}`, {
    token: who.token,
    body: { preventSelfReview },
  });
const OFF = { actor: 'off', keyMaker: 'off', agentOwner: 'off' };
const suspend = (who: Owner, isSuspended: boolean): Promise<void> =>
  changeMembership(harness, who, {
    isActive: !isSuspended,
    deactivatedBy: isSuspended ? 'team' : null,
  });
const named = (...ids: string[]): object => ({ actor: ids.map((id) => ({ type: 'user', id })) });
const approve = { decision: 'approve' };

beforeAll(async () => {
  bob = await createMember(harness, ada, 'admin');
  ({ key: bobsKey } = await createWorkspaceKey(app, bob));
  bobsAgent = await createAgent(app, bob);
});
beforeEach(async () => {
  await suspend(bob, false);
  await suspend(ada, false);
  assertOk(await ruled({ ...OFF, actor: 'where-possible' }));
});

describe('whom `actor` names does not decide while another person may', () => {
  test.each<[string, () => object]>([
    ['the address', () => named(bob.email)],
    ['the address in capitals', () => named(bob.email.toUpperCase())],
    ['the address as a mail header has it', () => named(`Bob <${bob.email}>`)],
    ['the id', () => named(bob.userId)],
    ['second in the list', () => named('stranger@example.org', bob.email)],
    [
      'behind an agent that acts for a service',
      () => ({
        actor: [
          { type: 'agent', id: 'buyer' },
          { type: 'service', id: 'shop', issuer: 'https://shop.example' },
          { type: 'user', id: bob.userId, issuer: 'https://id.example' },
        ],
      }),
    ],
  ])('%s', async (_, more) => {
    const { id, traceId } = await hold(more());
    const refused = await decide(id, approve, bob);
    expect(toOutcome(refused)).toEqual(REFUSED);
    expect(refused.body).toMatchObject({
      error: expect.stringContaining('on your behalf'),
      data: { selfReview: 'actor' },
    });
    expect(toOutcome(await decide(id, { decision: 'reject' }, bob))).toEqual(REFUSED);
    expect(await entriesOf(traceId)).toHaveLength(1);
    assertOk(await decide(id, approve));
    expect((await read(traceId)).body.data.review).toMatchObject({
      status: 'approved',
      decidedBy: ada.userId,
    });
    expect(await verify()).toBe(true);
  });

  test('by the names of provider and directory', async () => {
    const signOn = {
      protocol: 'oidc',
      issuer: 'https://id.example',
      format: 'sub',
      subject: 'B-7',
    };
    const directory = {
      userName: 'bob.builder',
      emails: [{ value: 'bob@work.example', type: null, primary: true }],
    };
    await changeMembership(harness, bob, { ssoId: 'E-4711', signOn, directory });
    for (const name of ['e-4711', 'B-7', 'bob.builder', 'Bob@Work.example']) {
      const { id } = await hold(named(name));
      expect([name, ...toOutcome(await decide(id, approve, bob))]).toEqual([name, ...REFUSED]);
    }
    await changeMembership(harness, bob, { ssoId: null, signOn: null, directory: null });
  });

  test('others, and decisions for others, are as they were', async () => {
    for (const more of [
      {},
      named('stranger@example.org'),
      named(ada.email),
      named(`x${bob.email}`),
    ])
      assertOk(await decide((await hold(more)).id, approve, bob));
  });

  test('the name itself is nowhere in what is stored', async () => {
    const { traceId } = await hold(named(bob.email));
    expect(JSON.stringify(await entriesOf(traceId))).not.toContain(bob.email);
  });

  test('the subject of a question of AuthZEN likewise', async () => {
    const body = {
      subject: { type: 'user', id: bob.email },
      action: { name: 'refund' },
      resource: { type: 'order', id: '4711' },
    };
    const { key } = await createWorkspaceKey(app, ada);
    const asked = assertOk(await app.call('POST', '/access/v1/evaluation', { key, body }));
    expect(asked.body).toMatchObject({ decision: false });
    const [item] = assertOk(await list('status=pending', bob)).body.data as { _id: string }[];
    expect(item).toMatchObject({ selfReview: 'actor' });
    expect(toOutcome(await decide(item?._id ?? '', approve, bob))).toEqual(REFUSED);
  });

  test('a large decision likewise', async () => {
    const inputContext = { prompt: 'Refund', context: { rows: 'long row '.repeat(4_000) } };
    const { id } = await hold({ inputContext, ...named(bob.email) });
    expect(toOutcome(await decide(id, approve, bob))).toEqual(REFUSED);
  });
});

type Kind = 'actor' | 'keyMaker' | 'agentOwner';
describe.each<[Kind, () => Promise<string>]>([
  ['actor', async () => (await hold(named(bob.email))).id],
  ['keyMaker', async () => (await hold({}, bobsKey)).id],
  ['agentOwner', async () => (await hold({ agentId: bobsAgent.id })).id],
])('%s', (kind, holdOne) => {
  test.each([
    ['off', true, 200],
    ['off', false, 200],
    ['where-possible', true, 403],
    ['where-possible', false, 200],
    ['always', true, 403],
    ['always', false, 403],
  ])('%s, another person may decide: %s: %i', async (rule, hasOther, status) => {
    const id = await holdOne();
    assertOk(await ruled({ ...OFF, [kind]: rule }));
    await suspend(ada, !hasOther);
    const item = assertOk(await app.call('GET', `${path}/${id}`, { token: bob.token })).body.data;
    expect(item.selfReview).toBe(status === 403 ? kind : undefined);
    const listed = assertOk(await list('status=pending', bob)).body.data as (typeof item)[];
    expect(listed.find((one) => one._id === id)?.selfReview).toBe(item.selfReview);
    expect((await decide(id, approve, bob)).status).toBe(status);
    await suspend(ada, false);
    const after = assertOk(await app.call('GET', `${path}/${id}`, { token: ada.token })).body.data;
    expect(after.status).toBe(status === 403 ? 'pending' : 'approved');
    expect(after).not.toHaveProperty('selfReview');
  });
});

test('the key of an agent was made by who registered it', async () => {
  assertOk(await ruled({ ...OFF, keyMaker: 'where-possible' }));
  const { id } = await hold({ agentId: bobsAgent.id }, bobsAgent.key);
  expect(toOutcome(await decide(id, approve, bob))).toEqual(REFUSED);
  assertOk(await decide(id, approve));
});

describe('another person', () => {
  test('counts only if nothing refuses them', async () => {
    const { id } = await hold(named(bob.email, ada.email));
    assertOk(await decide(id, approve, bob));
  });

  test('counts only if they may decide', async () => {
    await suspend(ada, true);
    const member = await createMember(harness, ada, 'member');
    const { id } = await hold(named(bob.email));
    assertOk(await decide(id, approve, bob));
    await changeMembership(harness, member, { role: 'reviewer' });
    const next = await hold(named(bob.email));
    expect(toOutcome(await decide(next.id, approve, bob))).toEqual(REFUSED);
    await changeMembership(harness, member, { isPending: true });
    assertOk(await decide(next.id, approve, bob));
  });

  test('may be suspended in between', async () => {
    const { id } = await hold(named(bob.email));
    expect(toOutcome(await decide(id, approve, bob))).toEqual(REFUSED);
    await suspend(ada, true);
    assertOk(await decide(id, approve, bob));
  });

  test('is of this organisation', async () => {
    await suspend(ada, true);
    const { id } = await hold(named(bob.email));
    expect(eve.organizationId).not.toBe(bob.organizationId);
    assertOk(await decide(id, approve, bob));
  });
});

test('a member of another organisation is no one here, whatever name they have', async () => {
  const theirs = useReviewsOf(eve);
  const { id } = await hold(named(eve.email));
  assertOk(await decide(id, approve, bob));
  expect(toOutcome(await theirs(id))).toEqual([404, 'NOT_FOUND']);
});
const useReviewsOf = (who: Owner) => (id: string) => decide(id, approve, who);

describe('many at once', () => {
  test('what is for others is left, and said', async () => {
    const [own, other] = [await hold(named(bob.email)), await hold()];
    const body = { ids: [own.id, other.id], ...approve };
    const { data } = assertOk(await decideAll(body, bob)).body;
    expect(data).toEqual({
      requested: 2,
      changed: 1,
      ids: [other.id],
      refused: [own.id],
      undecided: [
        {
          id: own.id,
          code: 'FORBIDDEN',
          message: expect.stringContaining('it was proposed on your behalf'),
          data: { selfReview: 'actor' },
        },
      ],
    });
    expect((await read(own.traceId)).body.data.review.status).toBe('pending');
    expect(assertOk(await decideAll(body)).body.data).toMatchObject({
      requested: 2,
      changed: 1,
      ids: [own.id],
    });
  });

  test('if all are for others, it is refused', async () => {
    const ids = [(await hold(named(bob.email))).id, (await hold(named(bob.userId))).id];
    expect(toOutcome(await decideAll({ ids, ...approve }, bob))).toEqual(REFUSED);
    assertOk(await decideAll({ ids, ...approve }));
  });
});

test('of a decision of an earlier version, which has no marks, the stored names count', () => {
  const toSealed = (facts: object, actor: object[]) =>
    ({
      sealed: { facts: { text: JSON.stringify(facts) }, actor: { text: JSON.stringify(actor) } },
    }) as never;
  const actor = [{ type: 'user', id: 'u1' }];
  expect(readActors(toSealed({ review: {} }, actor))).toEqual({ marks: [], names: ['u1'] });
  expect(readActors(toSealed({ review: { actors: ['m'] } }, actor)).marks).toEqual(['m']);
  expect(readActors({ sealed: {} } as never)).toEqual({ marks: [], names: [] });
});

describe('a status is no verdict', () => {
  let member: Owner;
  let viewer: Owner;
  beforeAll(async () => {
    member = await createMember(harness, ada, 'member');
    viewer = await createMember(harness, ada, 'viewer');
  });
  const label = (ids: string[], status: string, { token }: Owner): Promise<Answer> =>
    app.call('POST', '/api/v1/traces/bulk-status', { token, body: { ids, status } });

  test.each(['success', 'approved', 'blocked', 'pending', 'escalated'])(
    'who may not decide does not set %s while the review is pending, nor on anything beside it',
    async (status) => {
      const held = await hold();
      const plain = await hold({ outputDecision: { action: 'reply' } });
      for (const who of [member, viewer])
        expect(toOutcome(await label([plain.mongoId, held.mongoId], status, who))).toEqual(REFUSED);
      const own = await hold(named(bob.email));
      expect(toOutcome(await label([own.mongoId], status, bob))).toEqual(REFUSED);
      for (const { traceId } of [held, plain, own])
        expect(await entriesOf(traceId)).toHaveLength(1);
    },
  );

  test('a member sets it on what is not held, and after the verdict', async () => {
    const plain = await hold({ outputDecision: { action: 'reply' } });
    assertOk(await label([plain.mongoId], 'success', member));
    const { id, mongoId } = await hold();
    assertOk(await decide(id, approve));
    assertOk(await label([mongoId], 'success', member));
  });

  test('who decides may set it, and it is not taken for the verdict', async () => {
    const agent = await createAgent(app, ada);
    const { id, mongoId, traceId } = await hold({ agentId: agent.id }, agent.key);
    assertOk(await label([mongoId], 'success', bob));
    const waited = assertOk(
      await app.call('GET', `/api/v1/traces/${traceId}?wait=1`, { key: agent.key }),
    );
    expect(waited.headers.get('x-review-status')).toBe('pending');
    expect(waited.body.data.review).toMatchObject({ _id: id, status: 'pending', decidedBy: null });
    const claim = { key: agent.key, body: { rawActionDigest: '0'.repeat(64) } };
    expect(
      toOutcome(await app.call('POST', `/api/v1/traces/${traceId}/executions`, claim)),
    ).toEqual([403, 'APPROVAL_PENDING']);
    assertOk(await decide(id, { decision: 'reject' }));
    expect((await read(traceId)).body.data.status).toBe('blocked');
  });
});

describe('the setting', () => {
  test('is shown, and what is left out stays', async () => {
    const changed = assertOk(await ruled({ keyMaker: 'always' })).body.data;
    expect(changed.preventSelfReview).toEqual({
      actor: 'where-possible',
      keyMaker: 'always',
      agentOwner: 'off',
    });
  });

  test.each([{ actor: 'sometimes' }, { author: 'always' }, 'always', null])(
    '%j is refused',
    async (wrong) => {
      expect(toOutcome(await ruled(wrong as object))).toEqual([400, 'VALIDATION_ERROR']);
    },
  );

  test('is the default in a workspace of an earlier version', async () => {
    const _id = toObjectId(ada.workspaceId);
    await harness.db
      .collection('workspaces')
      .updateOne({ _id }, { $unset: { preventSelfReview: 1 } });
    const body = { observed: { review: false } };
    const { token } = ada;
    const saved = await app.call('PATCH', `/api/v1/workspaces/${ada.workspaceId}`, { token, body });
    expect(assertOk(saved).body.data.preventSelfReview).toEqual({
      ...OFF,
      actor: 'where-possible',
    });
    const { id } = await hold(named(bob.email));
    expect(toOutcome(await decide(id, approve, bob))).toEqual(REFUSED);
  });

  test('managers are notified when it is switched off', async () => {
    assertOk(await ruled({ actor: 'off' }));
    const found = harness.db.collection('notifications').find({ userId: toObjectId(bob.userId) });
    const titles = (await found.toArray()).map(({ title }) => title as string);
    expect(titles).toContainEqual(expect.stringContaining('on their own behalf'));
  });
});
