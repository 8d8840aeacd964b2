// Several people approve: who may, who counts, what annuls a vote, what the chain says of it, and what the verifier counts.
import { createHash } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import { beforeAll, expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember } from '../../../setup/harness.ts';
import {
  openSubject,
  prepareReviewAmendment,
} from '../../../../src/decisions/traces/review/review-amendment.ts';
import { toObjectId } from '../../../../src/ledger/ledger.model.ts';
import {
  assertOk,
  createAgent,
  createOwner,
  createWorkspaceKey,
  buildDecision,
} from '../../../setup/personas.ts';
import { toOutcome } from '../../../setup/start-app.ts';

const digest = (action: Json): string =>
  createHash('sha256').update(canonicalize(action)).digest('hex');

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

type Person = Awaited<ReturnType<typeof createMember>>;
const people = {} as Record<'rita' | 'rolf' | 'adam' | 'vera', Person>;
let key = '';

beforeAll(async () => {
  people.rita = await createMember(harness, ada, 'reviewer');
  people.rolf = await createMember(harness, ada, 'reviewer');
  people.adam = await createMember(harness, ada, 'admin');
  people.vera = await createMember(harness, ada, 'viewer');
  ({ key } = await createWorkspaceKey(app, ada));
});

interface Held {
  id: string;
  traceId: string;
  actionDigest: string;
  action: Json;
}

let tools = 0;

/** A decision that a policy of its own holds. */
async function hold(approvals: object, more: object = {}, by = key): Promise<Held> {
  const tool = `tool-${++tools}`;
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
  const actions = [{ type: 'flag_for_review', config: { approvals } }];
  const policy = { name: tool, conditions, actions };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const action = { tool, amount: 120 };
  const outputDecision = { action };
  const body = buildDecision('till', { outputDecision, ...more });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key: by, body })).body;
  const { reviewId: id, traceId, actionDigest } = data;
  return { id, traceId, actionDigest, action };
}

const decide = (id: string, { token }: { token: string }, body: object = { decision: 'approve' }) =>
  app.call('POST', `/api/v1/review-queue/${id}/decision`, { token, body });
const read = async (id: string) =>
  assertOk(await app.call('GET', `/api/v1/review-queue/${id}`, { token: ada.token })).body.data;
const approve = async (id: string, person: { token: string }, more: object = {}) =>
  assertOk(await decide(id, person, { decision: 'approve', ...more })).body.data;
/** Claims what `hold` proposed. */
const claim = ({ traceId, action }: Held) =>
  app.call('POST', `/api/v1/traces/${traceId}/executions`, {
    key,
    body: { rawActionDigest: digest(action) },
  });
const listKinds = async (traceId: string) =>
  (await harness.db.collection('ledger').find({ traceId }).sort({ sequence: 1 }).toArray()).map(
    (entry) => entry['kind'] as string,
  );

/** Verifies the whole chain, in the service and from its export. */
async function verify() {
  const disclose = 'facts,quorum,voter,actionDigest,edits';
  const path = `/api/v1/hash-chain/export?fromSequence=1&disclose=${disclose}`;
  const { text } = await app.call('GET', path, { token: ada.token });
  async function* stream() {
    yield* text.trimEnd().split('\n');
  }
  const verified = assertOk(
    await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token }),
  ).body.data.verified as boolean;
  const { problems } = await verifyBundle(stream());
  return {
    verified,
    codes: problems.map(({ code }) => code).filter((code) => code !== 'not-vouched'),
  };
}

const TWO = { steps: [{ roles: ['reviewer'], count: 2 }] };

test('two of a group approve: the first is sealed and decides nothing, the second ends the review', async () => {
  const held = await hold(TWO);
  const { id, traceId } = held;
  const first = await approve(id, people.rita, { reason: 'Fine by me' });
  expect(first).toMatchObject({
    status: 'pending',
    decision: null,
    decidedBy: null,
    receipt: null,
  });
  expect(first.approvals).toMatchObject({ needed: 2, given: 1, waitsFor: 'reviewer' });
  expect(first.approvals.votes).toMatchObject([
    { userId: people.rita.userId, step: 0, reason: 'Fine by me', edited: false, via: 'api' },
  ]);
  expect(toOutcome(await claim(held))).toEqual([403, 'APPROVAL_PENDING']);
  const decision = await app.call('GET', `/api/v1/traces/${traceId}`, { key });
  expect(assertOk(decision).body.data.review).toMatchObject({
    status: 'pending',
    approvals: { needed: 2, given: 1, waitsFor: 'reviewer' },
  });
  const last = await approve(id, people.rolf);
  expect(last).toMatchObject({ status: 'approved', decidedBy: people.rolf.userId });
  expect(last.approvals).toMatchObject({ needed: 2, given: 2, waitsFor: null });
  expect(await listKinds(traceId)).toEqual(['trace', 'vote', 'review']);
  expect((await claim(held)).status).toBe(201);
  expect(await verify()).toEqual({ verified: true, codes: [] });
});

test('who is in no group, or has approved, learns whom it waits for; a viewer may not decide', async () => {
  const { id } = await hold(TWO);
  const stranger = await decide(id, people.adam);
  expect(toOutcome(stranger)).toEqual([403, 'FORBIDDEN']);
  expect(stranger.body.error).toBe('You may not approve this: it waits for 2 of reviewer');
  await approve(id, people.rita);
  const again = await decide(id, people.rita);
  expect(toOutcome(again)).toEqual([400, 'INVALID_OPERATION']);
  expect(again.body.error).toBe('You have approved it already: it waits for reviewer');
  expect(toOutcome(await decide(id, people.vera))).toEqual([403, 'FORBIDDEN']);
  expect((await read(id)).approvals).toMatchObject({ given: 1 });
});

test('one rejection ends it, by any who decides', async () => {
  const { id, traceId } = await hold(TWO);
  await approve(id, people.rita);
  const rejected = await decide(id, people.adam, { decision: 'reject', reason: 'No' });
  expect(assertOk(rejected).body.data).toMatchObject({ status: 'rejected', reason: 'No' });
  expect(await listKinds(traceId)).toEqual(['trace', 'vote', 'review']);
  expect(toOutcome(await decide(id, people.rolf))).toEqual([400, 'INVALID_OPERATION']);
});

test('an approval with edits annuls those before it, and is approved by others with the same edits', async () => {
  const { id, actionDigest } = await hold(TWO);
  await approve(id, people.rita);
  const edited = { edits: { amount: 90 }, actionDigest };
  const changed = await approve(id, people.rolf, edited);
  expect(changed.approvals).toMatchObject({ given: 1, edits: { amount: 90 } });
  expect(changed.approvals.votes).toMatchObject([
    { userId: people.rita.userId, step: null },
    { userId: people.rolf.userId, step: 0, edited: true },
  ]);
  const last = await approve(id, people.rita, edited);
  expect(last).toMatchObject({ status: 'approved', edits: { amount: 90 } });
  expect(await verify()).toEqual({ verified: true, codes: [] });
});

test('steps in order: the second group waits for the first', async () => {
  const { rita, adam } = people;
  const finance = { name: 'Finance', people: [rita.userId] };
  const { id } = await hold({ steps: [finance, { roles: ['admin'] }], inOrder: true });
  expect((await decide(id, adam)).body.error).toBe(
    'You may not approve this: it waits for Finance, and admin',
  );
  expect((await approve(id, rita)).approvals).toMatchObject({ waitsFor: 'admin', given: 1 });
  expect(await approve(id, adam)).toMatchObject({ status: 'approved' });
});

test('who leaves or loses the role before the end does not count', async () => {
  const gone = await createMember(harness, ada, 'reviewer');
  const { id } = await hold(TWO);
  await approve(id, gone);
  const memberships = harness.db.collection('memberships');
  const row = {
    organizationId: toObjectId(ada.organizationId),
    userId: toObjectId(gone.userId),
  };
  await memberships.updateOne(row, { $set: { role: 'viewer' } });
  const after = await approve(id, people.rita);
  expect(after).toMatchObject({ status: 'pending', approvals: { given: 1 } });
  expect(await approve(id, people.rolf)).toMatchObject({ status: 'approved' });
  expect(await verify()).toEqual({ verified: true, codes: [] });
});

test('the owner of the agent approves where the policy says so, and never where it excludes them', async () => {
  const { id: agentId, key: agentKey } = await createAgent(app, ada);
  const body = { agentId };
  const own = await hold({ steps: [{ agentOwner: true }] }, body, agentKey);
  expect(toOutcome(await decide(own.id, people.rita))).toEqual([403, 'FORBIDDEN']);
  expect(await approve(own.id, ada)).toMatchObject({ status: 'approved' });
  const excluded = await hold({ steps: [{}], exclude: ['agentOwner'] }, body, agentKey);
  const refused = await decide(excluded.id, ada);
  expect([refused.status, refused.body.data]).toEqual([403, { selfReview: 'agentOwner' }]);
  expect(await approve(excluded.id, people.adam)).toMatchObject({ status: 'approved' });
});

test('where no one of a group is left an owner approves, and nothing is approved by itself', async () => {
  const { id } = await hold({ steps: [{ name: 'Legal', people: ['f'.repeat(24)] }] });
  const item = await read(id);
  expect(item.approvals).toMatchObject({ waitsFor: 'owner', steps: [{ escalated: true }] });
  expect(toOutcome(await decide(id, people.adam))).toEqual([403, 'FORBIDDEN']);
  expect(await approve(id, ada)).toMatchObject({ status: 'approved' });
});

test('in bulk an item that others have to approve as well is voted on, and one for others is left', async () => {
  const [two, one, others] = [
    await hold(TWO),
    await hold({ steps: [{}] }),
    await hold({ steps: [{ roles: ['admin'] }] }),
  ];
  const body = { ids: [two.id, one.id, others.id], decision: 'approve' };
  const path = '/api/v1/review-queue/bulk-decision';
  const { data } = assertOk(await app.call('POST', path, { token: people.rita.token, body })).body;
  expect(data).toMatchObject({ ids: [one.id], voted: [two.id], refused: [others.id] });
  expect((await read(two.id)).approvals).toMatchObject({ given: 1 });
});

test('votes on one item at the same time: each person counts once, and one ends the review', async () => {
  const { id, traceId } = await hold({ steps: [{ count: 3 }] });
  const voters = [ada, people.rita, people.rolf, people.adam];
  const answers = await Promise.all(
    [...voters, ...voters, ...voters].map((one) => decide(id, one)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
  expect(await listKinds(traceId)).toEqual(['trace', 'vote', 'vote', 'review']);
  expect(await verify()).toEqual({ verified: true, codes: [] });
});

test('an erasure takes the words of votes, and the chain stays intact', async () => {
  const { id, traceId } = await hold(TWO);
  await approve(id, people.rita, { reason: 'Carla asked for it', notes: 'By phone' });
  await approve(id, people.rolf);
  const path = '/api/v1/traces/bulk-delete';
  const trace = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  assertOk(await app.call('POST', path, { token: ada.token, body: { ids: [String(trace?._id)] } }));
  const vote = await harness.db.collection('ledger').findOne({ traceId, kind: 'vote' });
  expect(Object.values(vote?.['sealed'] ?? {}).filter(Boolean)).toEqual([]);
  expect(await verify()).toEqual({ verified: true, codes: [] });
});

test('another organisation sees no vote', async () => {
  const { id } = await hold(TWO);
  const eve = await createOwner(app, 'Eve');
  expect(toOutcome(await decide(id, eve))).toEqual([404, 'NOT_FOUND']);
});

test('an approval that was sealed without its votes is found by both verifications', async () => {
  const { traceId } = await hold(TWO);
  const { platform } = app.instance;
  const by = {
    organizationId: ada.organizationId,
    actor: { kind: 'user', id: people.rita.userId },
  } as const;
  const words = { decision: 'approve', reason: undefined, notes: undefined } as const;
  const amend = prepareReviewAmendment(by, words, platform.draw16Bytes);
  await platform.ledger.amendments.append(ada.organizationId, traceId, async (about) =>
    amend(await openSubject(platform.contents, about)),
  );
  expect(await verify()).toEqual({ verified: false, codes: ['votes-mismatch'] });
});

test('edits that annul one another do not go on for ever: the votes on a decision have a bound', async () => {
  const { id, actionDigest } = await hold(TWO);
  for (let amount = 1; amount <= 40; amount++)
    await approve(id, amount % 2 ? people.rita : people.rolf, { edits: { amount }, actionDigest });
  const edited = { decision: 'approve', edits: { amount: 0 }, actionDigest };
  expect((await decide(id, people.rita, edited)).body.error).toBe(
    'It was voted on 40 times: reject it, so that its agent asks again',
  );
  const same = { edits: { amount: 40 }, actionDigest };
  expect(await approve(id, people.rita, same)).toMatchObject({ status: 'approved' });
});
