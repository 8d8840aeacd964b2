// Limits of policies over HTTP: reserved by the entry that approves, settled by the outcome, exact, and checked.
// @module-tag long
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { expireDueReviews } from '../../../src/decisions/traces/review/review-expiry.service.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember } from '../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  type Owner,
} from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const HOUR = 3_600_000;
const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
let bob: Owner;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'reviewer');
});

type Agent = Awaited<ReturnType<typeof createAgent>>;
let tools = 0;
/** A tool of its own for each policy, so that no test spends another one's limit. */
const nameTool = (): string => `tool_${++tools}`;
const limit = (more: object = {}) => ({
  of: 'action.totalAmount',
  per: 'agent',
  window: '24h',
  most: 500,
  ...more,
});
async function createPolicy(
  tool: string,
  actions: object[],
  { token, ...more }: { token?: string; [member: string]: unknown } = {},
): Promise<string> {
  const conditions = [{ field: 'action.names', operator: 'contains', value: tool }];
  const body = { name: `Limit of ${tool}`, conditions, actions, ...more };
  const made = await app.call('POST', '/api/v1/policies', { token: token ?? ada.token, body });
  return assertOk(made).body.data._id as string;
}
const block = (more: object = {}) => ({ type: 'block', config: { limit: limit(more) } });
const flag = (more: object = {}) => ({ type: 'flag_for_review', config: { limit: limit(more) } });
const toAction = (tool: string, amount: Json = null): Json => ({ tool, arguments: { amount } });
const spend = (agent: Agent, tool: string, amount?: Json, more: object = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', {
    key: agent.key,
    body: buildDecision(agent.id, { outputDecision: { action: toAction(tool, amount) }, ...more }),
  });
const verify = async (): Promise<Answer['body']['data']> =>
  assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token })).body.data;
const digest = (action: Json): string =>
  createHash('sha256').update(canonicalize(action)).digest('hex');
async function claim(agent: Agent, { body }: Answer, action: Json): Promise<Answer> {
  return app.call('POST', `/api/v1/traces/${body.data.traceId}/executions`, {
    key: agent.key,
    body: { rawActionDigest: digest(action) },
  });
}
const end = (agent: Agent, { body }: Answer, said: object): Promise<Answer> =>
  app.call('PATCH', `/api/v1/traces/${body.data.traceId}/executions/${body.data.executionId}`, {
    key: agent.key,
    body: said,
  });
const decide = (answer: Answer, body: object, { token } = ada): Promise<Answer> =>
  app.call('POST', `/api/v1/review-queue/${answer.body.data.reviewId}/decision`, { token, body });

test('what is approved adds up to the limit exactly, and what would pass it is blocked', async () => {
  const tool = nameTool();
  const policy = await createPolicy(tool, [block({ most: 0.7 })]);
  const agent = await createAgent(app, ada);
  for (const amount of [0.1, 0.2, 0.3]) assertOk(await spend(agent, tool, amount));
  const passed = await spend(agent, tool, 0.2);
  expect(toOutcome(passed)).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  expect(passed.body.data).toMatchObject({
    status: 'blocked',
    tags: expect.arrayContaining(['LIMIT_REACHED']),
    matchedPolicy: {
      name: `Limit of ${tool}`,
      reason: expect.stringContaining(
        'The limit is 0.7 (action.totalAmount) for each agent in 24h',
      ),
    },
    limits: [
      {
        policy,
        at: 0,
        type: 'block',
        of: 'action.totalAmount',
        per: 'agent',
        window: '24h',
        most: 0.7,
        left: 0.1,
        freesAt: expect.any(String),
      },
    ],
  });
  assertOk(await spend(agent, tool, 0.1));
  expect(await verify()).toMatchObject({ verified: true });
  const read = await app.call('GET', `/api/v1/traces/${passed.body.data.traceId}`, {
    token: ada.token,
  });
  expect(assertOk(read).body.data.limits).toEqual(passed.body.data.limits);
});

test('a repetition of a request is answered once more, and spends nothing', async () => {
  const tool = nameTool();
  await createPolicy(tool, [block({ of: 'acts', most: 1 })]);
  const agent = await createAgent(app, ada);
  const send = (key: string): Promise<Answer> =>
    app.call('POST', '/api/v1/traces', {
      key: agent.key,
      headers: { 'idempotency-key': key },
      body: buildDecision(agent.id, { outputDecision: { action: toAction(tool, 5) } }),
    });
  const [first, again] = [await send('one'), await send('one')];
  expect(again.body.data.traceId).toBe(assertOk(first).body.data.traceId);
  const second = await send('two');
  expect(second.status).toBe(403);
  const repeated = await send('two');
  expect(repeated.body).toMatchObject({ data: second.body.data, code: 'SVC_BLOCKED_BY_POLICY' });
});

test('a hundred at once spend what there is, and no more', async () => {
  const tool = nameTool();
  await createPolicy(tool, [block({ most: 250 })]);
  const agent = await createAgent(app, ada);
  const answers = await Promise.all(Array.from({ length: 100 }, () => spend(agent, tool, 10)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(25);
  expect(statuses.filter((status) => status === 403)).toHaveLength(75);
  expect(await verify()).toMatchObject({ verified: true });
});

test('a batch is counted one after the other', async () => {
  const tool = nameTool();
  await createPolicy(tool, [block({ of: 'acts', most: 3 })]);
  const agent = await createAgent(app, ada);
  const decisions = Array.from({ length: 5 }, () =>
    buildDecision(agent.id, { outputDecision: { action: toAction(tool, 1) } }),
  );
  const answer = await app.call('POST', '/api/v1/traces/batch', {
    key: agent.key,
    body: { decisions },
  });
  const results = answer.body.data.results as { status: number }[];
  expect(results.filter(({ status }) => status === 201)).toHaveLength(3);
});

describe('who shares a sum', () => {
  test('an agent has its own, an organisation one for all', async () => {
    const [own, shared] = [nameTool(), nameTool()];
    await createPolicy(own, [block({ of: 'acts', most: 1 })]);
    await createPolicy(shared, [block({ of: 'acts', most: 1, per: 'organization' })]);
    const [one, other] = [await createAgent(app, ada), await createAgent(app, ada)];
    assertOk(await spend(one, own, 1));
    assertOk(await spend(other, own, 1));
    assertOk(await spend(one, shared, 1));
    expect((await spend(other, shared, 1)).status).toBe(403);
  });
  test('a session has its own, and what names none shares one', async () => {
    const tool = nameTool();
    await createPolicy(tool, [block({ of: 'acts', most: 1, per: 'session', window: 'ever' })]);
    const agent = await createAgent(app, ada);
    for (const sessionId of ['a', 'b', undefined]) {
      const more = sessionId === undefined ? {} : { sessionId };
      assertOk(await spend(agent, tool, 1, more));
      expect((await spend(agent, tool, 1, more)).body.data.limits[0].freesAt).toBeNull();
    }
  });
  test('another organisation spends nothing of it', async () => {
    const eve = await createOwner(app, 'Eve');
    const tool = nameTool();
    for (const { token } of [ada, eve])
      await createPolicy(tool, [block({ of: 'acts', most: 1, per: 'organization' })], { token });
    const [ours, theirs] = [await createAgent(app, ada), await createAgent(app, eve)];
    assertOk(await spend(ours, tool, 1));
    assertOk(await spend(theirs, tool, 1));
  });
});

test('what is spent counts until its part of the window has passed', async () => {
  const tool = nameTool();
  await createPolicy(tool, [block({ of: 'acts', most: 1 })]);
  const agent = await createAgent(app, ada);
  assertOk(await spend(agent, tool, 1));
  const refused = await spend(agent, tool, 1);
  const freesAt = Date.parse(refused.body.data.limits[0].freesAt);
  clock.aheadMs += 23.9 * HOUR;
  expect((await spend(agent, tool, 1)).status).toBe(403);
  clock.aheadMs += Math.max(0, freesAt - clock.now().getTime());
  assertOk(await spend(agent, tool, 1));
  clock.aheadMs += 30 * HOUR;
  assertOk(await spend(agent, tool, 1));
  expect(await verify()).toMatchObject({ verified: true });
});

test('what has left the window is left again, also for what is too much', async () => {
  const tool = nameTool();
  await createPolicy(tool, [block({ most: 100 })]);
  const agent = await createAgent(app, ada);
  assertOk(await spend(agent, tool, 90));
  clock.aheadMs += 26 * HOUR;
  const refused = await spend(agent, tool, 101);
  expect(refused.body.data.limits).toMatchObject([{ left: 100, freesAt: null }]);
});

describe('an amount', () => {
  test.each([
    ['is missing', undefined],
    ['has no number', 'a lot'],
  ])('that %s passes every limit', async (_what, amount) => {
    const tool = nameTool();
    await createPolicy(tool, [block()]);
    const answer = await spend(await createAgent(app, ada), tool, amount);
    expect(answer.status).toBe(403);
    expect(answer.body.data.limits).toMatchObject([{ left: null, freesAt: null }]);
  });
  test('that can be read in two ways counts with the larger one', async () => {
    const tool = nameTool();
    await createPolicy(tool, [block({ most: 1000 })]);
    const agent = await createAgent(app, ada);
    // One thousand and two hundred, or one and a fifth.
    expect((await spend(agent, tool, '1.200')).status).toBe(403);
  });
});

describe('what is held', () => {
  test('is reserved when a person approves, and not beyond a limit that blocks', async () => {
    const tool = nameTool();
    await createPolicy(tool, [block({ most: 100 })]);
    await createPolicy(tool, [{ type: 'flag_for_review' }]);
    const agent = await createAgent(app, ada);
    const [first, second] = [await spend(agent, tool, 80), await spend(agent, tool, 80)];
    expect([first.status, second.status]).toEqual([202, 202]);
    assertOk(await decide(first, { decision: 'approve' }, bob));
    const refused = await decide(second, { decision: 'approve' }, bob);
    expect(toOutcome(refused)).toEqual([409, 'LIMIT_REACHED']);
    expect(refused.body.data.limits).toMatchObject([{ most: 100, left: 20 }]);
    // With the amount that is left it can be approved.
    const edits = { arguments: { amount: 20 } };
    const { actionDigest } = second.body.data;
    assertOk(await decide(second, { decision: 'approve', edits, actionDigest }, bob));
    expect(await verify()).toMatchObject({ verified: true });
  });
  test('beyond a limit that holds may be approved by a person, and counts', async () => {
    const tool = nameTool();
    await createPolicy(tool, [flag({ most: 100 }), block({ most: 150 })]);
    const agent = await createAgent(app, ada);
    assertOk(await spend(agent, tool, 100));
    const held = await spend(agent, tool, 40);
    expect(held.status).toBe(202);
    expect(held.body.data.limits).toMatchObject([{ type: 'flag_for_review', left: 0 }]);
    assertOk(await decide(held, { decision: 'approve' }, bob));
    const blocked = await spend(agent, tool, 20);
    expect(blocked.status).toBe(403);
    expect(blocked.body.data.limits).toMatchObject([
      { type: 'flag_for_review', left: 0 },
      { type: 'block', left: 10 },
    ]);
    expect(await verify()).toMatchObject({ verified: true });
  });
  test('a lapse of time that approves passes no limit', async () => {
    const tool = nameTool();
    await createPolicy(tool, [block({ of: 'acts', most: 0 })]);
    const config = { expiresIn: 60, onExpiry: 'approve' };
    await createPolicy(tool, [{ type: 'flag_for_review', config }]);
    const agent = await createAgent(app, ada);
    const held = await spend(agent, tool, 1);
    expect(held.status).toBe(202);
    clock.aheadMs += 61_000;
    await expireDueReviews(app.instance.platform);
    const read = await app.call('GET', `/api/v1/traces/${held.body.data.traceId}`, {
      token: ada.token,
    });
    expect(read.body.data.status).toBe('blocked');
  });
});

describe('an outcome', () => {
  async function start(most = 100) {
    const tool = nameTool();
    await createPolicy(tool, [block({ most }), { type: 'notify', config: { singleUse: true } }]);
    const agent = await createAgent(app, ada);
    const run = async (amount: number): Promise<Answer> =>
      assertOk(
        await claim(agent, assertOk(await spend(agent, tool, amount)), toAction(tool, amount)),
      );
    return { agent, run, try: (amount: number) => spend(agent, tool, amount) };
  }
  test('that failed gives back what was reserved', async () => {
    const at = await start();
    const claimed = await at.run(90);
    expect((await at.try(20)).status).toBe(403);
    assertOk(await end(at.agent, claimed, { outcome: 'failed' }));
    assertOk(await at.try(100));
    expect(await verify()).toMatchObject({ verified: true });
  });
  test('that succeeded settles with what was used, less or more', async () => {
    const at = await start();
    assertOk(await end(at.agent, await at.run(90), { outcome: 'succeeded', used: { amount: 30 } }));
    const more = await at.run(60);
    const ended = await end(at.agent, more, { outcome: 'succeeded', used: { amount: 75 } });
    expect(assertOk(ended).body.data.used).toEqual({ amount: 75 });
    expect((await at.try(1)).body.data.limits).toMatchObject([{ left: 0 }]);
    expect(await verify()).toMatchObject({ verified: true });
  });
  test('that is unknown keeps the reservation until it is known', async () => {
    const at = await start();
    const claimed = await at.run(90);
    assertOk(await end(at.agent, claimed, { outcome: 'unknown' }));
    expect((await at.try(20)).status).toBe(403);
    const { traceId, executionId } = claimed.body.data;
    const path = `/api/v1/traces/${traceId}/executions/${executionId}/reconcile`;
    assertOk(await app.call('POST', path, { token: ada.token, body: { outcome: 'failed' } }));
    assertOk(await at.try(100));
  });
});

test.each<[what: string, limit: unknown, says: string]>([
  ['no object', 5, 'limit must have the members of, per, window and most'],
  ['a member too many', { ...limit(), each: 1 }, 'limit must have the members'],
  ['no field', limit({ of: '__proto__.x' }), 'limit.of must be acts'],
  ['an unknown scope', limit({ per: 'team' }), 'limit.per must be session'],
  ['an unknown window', limit({ window: '2h' }), 'limit.window must be 1h'],
  ['a negative sum', limit({ most: -1 }), 'limit.most must be a number from 0'],
  ['a sum too fine', limit({ most: 0.0000000001 }), 'limit.most must be a number from 0'],
  ['a sum too large', limit({ most: 1.5e15 }), 'limit.most must be a number from 0'],
])('a limit with %s is refused, and says what would be right', async (_what, given, says) => {
  const body = {
    name: 'x',
    conditions: [],
    actions: [{ type: 'block', config: { limit: given } }],
  };
  const answer = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  expect(toOutcome(answer)).toEqual([400, 'VALIDATION_ERROR']);
  expect(JSON.stringify(answer.body)).toContain(says);
});

test('only actions that restrict have limits', async () => {
  const actions = [{ type: 'notify', config: { limit: limit() } }];
  const body = { name: 'x', conditions: [], actions };
  const answer = await app.call('POST', '/api/v1/policies', { token: ada.token, body });
  expect(JSON.stringify(answer.body)).toContain('block and flag_for_review');
});

test('a sum that is changed in the database is found, and so is one that is taken away', async () => {
  const tool = nameTool();
  await createPolicy(tool, [block()]);
  const agent = await createAgent(app, ada);
  const { traceId } = assertOk(await spend(agent, tool, 10)).body.data;
  assertOk(await spend(agent, tool, 10));
  const ledger = harness.db.collection('ledger');
  const before = await ledger.findOne({ traceId });
  for (const change of [
    { $set: { 'spent.0.slots.0.1': '5' } },
    { $set: { 'spent.0.slots': [] } },
    { $unset: { spent: 1 } },
  ]) {
    await ledger.updateOne({ traceId }, change);
    expect(await verify()).toMatchObject({ verified: false });
    await ledger.updateOne({ traceId }, { $set: { spent: before?.['spent'] } });
  }
  expect(await verify()).toMatchObject({ verified: true });
});
