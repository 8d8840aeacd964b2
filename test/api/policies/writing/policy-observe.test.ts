// Observing policies over HTTP, and what a policy has done (decisions: observe, effect of a policy).
import { beforeAll, expect, test } from 'vitest';
import { insertCopies } from '../../../setup/copies.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember } from '../../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../../setup/personas.ts';
import type { Answer } from '../../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let key: string;
beforeAll(async () => {
  ({ key } = await createAgent(app, ada, 'Till'));
});

const call = (method: string, below: string, who: Owner, body?: unknown): Promise<Answer> =>
  app.call(method, path + below, { token: who.token, ...(body !== undefined && { body }) });
const blocking = (tool: string, more: object = {}): Record<string, unknown> => ({
  name: `No ${tool}`,
  conditions: [{ field: 'action.names', operator: 'contains', value: tool }],
  actions: [{ type: 'block' }, { type: 'notify' }],
  ...more,
});
const make = async (body: object, who = ada): Promise<string> =>
  assertOk(await call('POST', '', who, body)).body.data.id as string;
const post = (tool: string, postedWith = key): Promise<Answer> => {
  const body = buildDecision('Till', { outputDecision: { action: { tool } } });
  return app.call('POST', '/api/v1/traces', { key: postedWith, body });
};
const readEffect = async (id: string) =>
  assertOk(await call('GET', `/${id}/effect`, ada)).body.data;

test('an observing policy changes no verdict, and what it would have done is on record', async () => {
  const id = await make(blocking('wipe', { observe: true }));
  const answer = await post('wipe');
  expect(answer.status).toBe(201);
  await post('read');
  const { traceId } = answer.body.data;
  const explanation = await app.call('GET', `/api/v1/traces/${traceId}/explanation`, {
    token: ada.token,
  });
  const { policies } = assertOk(explanation).body.data;
  expect(policies.find((one: { id: string }) => one.id === id)).toMatchObject({
    matched: true,
    outcome: 'observed',
    explanation: [{ matched: true, actual: '["wipe"]' }],
  });
  expect(await readEffect(id)).toMatchObject({
    policyId: id,
    since: null,
    days: [{ approved: 0, flagged: 0, blocked: 0, observed: 1 }],
    agents: [{ name: 'Till', count: 1 }],
    tools: [{ name: 'wipe', count: 1 }],
    examples: [{ traceId, tools: ['wipe'], verdict: 'approved', observed: true }],
  });
  await app.instance.runJobsOnce();
  expect((await call('GET', `/${id}`, ada)).body.data).toMatchObject({
    observe: true,
    matchCount: 0,
  });
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(assertOk(verified).body.data).toMatchObject({ verified: true });

  assertOk(await call('PATCH', `/${id}`, ada, { observe: false }));
  expect((await post('wipe')).status).toBe(403);
  expect(await readEffect(id)).toMatchObject({
    days: [{ approved: 0, flagged: 0, blocked: 1, observed: 1 }],
    examples: [{ verdict: 'blocked', observed: false }, { observed: true }],
  });
  const { revision } = (await call('GET', `/${id}`, ada)).body.data;
  assertOk(await call('PATCH', `/${id}`, ada, { observe: false }));
  expect((await call('GET', `/${id}`, ada)).body.data.revision).toBe(revision);
});

test('an observing policy that cannot be evaluated holds nothing up', async () => {
  const conditions = [
    { field: 'outputDecision.action.tool', operator: 'equals', value: 'long' },
    { field: 'action.largestAmount', operator: 'at_most', value: 100, not: true },
  ];
  const id = await make(blocking('long', { conditions, observe: true }));
  const outputDecision = { action: { tool: 'long', amount: 'all of it' } };
  const postLong = (): Promise<Answer> =>
    app.call('POST', '/api/v1/traces', { key, body: buildDecision('Till', { outputDecision }) });
  const answer = await postLong();
  expect(answer.status).toBe(201);
  expect(answer.body.data.tags).not.toContain('POLICY_ERROR');
  assertOk(await call('PATCH', `/${id}`, ada, { observe: false }));
  const judged = await postLong();
  expect(judged.status).toBe(403);
  expect(judged.body.data.tags).toContain('POLICY_ERROR');
});

test('a replay shows what an observing policy would do if it judged', async () => {
  const owner = await createOwner(app, 'Rae');
  const { key: replayKey } = await createWorkspaceKey(app, owner);
  const id = await make(blocking('pay', { observe: true }), owner);
  for (const tool of ['pay', 'read', 'pay']) expect((await post(tool, replayKey)).status).toBe(201);
  const begun = await call('POST', `/${id}/replay`, owner, {});
  await expect
    .poll(async () => {
      await app.instance.runJobsOnce();
      return (await call('GET', `/replays/${begun.body.data.id}`, owner)).body.data;
    })
    .toMatchObject({ state: 'done', done: 3, allowToBlock: 2, unchanged: 1, cannotTell: 0 });
});

test('what observes is free where approvals are required, and judges by an approval only', async () => {
  const owner = await createOwner(app, 'Four');
  const author = await createMember(harness, owner, 'member');
  const judging = await make(blocking('judge'), owner);
  const four = { requirePolicyApproval: true };
  assertOk(await app.call('PATCH', '/api/v1/organization', { token: owner.token, body: four }));
  const observing = await make(blocking('observe', { observe: true }), owner);
  assertOk(await call('PATCH', `/${observing}`, owner, { priority: 3 }));
  for (const [id, body] of [
    [observing, { observe: false }],
    [judging, { observe: true }],
  ] as const)
    expect((await call('PATCH', `/${id}`, owner, body)).body).toMatchObject({
      code: 'INVALID_OPERATION',
    });
  const proposal = { policyId: observing, policy: { observe: false } };
  const opened = assertOk(await call('POST', '/approvals', author, proposal));
  expect(opened.body.data.policy).toMatchObject({ observe: false, enabled: true });
});

test('the source says that a policy observes, and a canary lets it judge a share', async () => {
  const adl = 'policy "Seen"\nobserve\nwhen\n  action.names.contains("seen")\nthen block\n';
  const made = await call('POST', '/from-adl', ada, { adl });
  const { id, observe } = assertOk(made).body.data;
  expect(observe).toBe(true);
  expect((await call('GET', `/${id}/adl`, ada)).body.data.adl).toBe(adl);
  assertOk(await call('PATCH', `/${id}`, ada, { canary: { share: 0.5 } }));
  const statuses = new Set<number>();
  for (let posted = 0; posted < 40 && statuses.size < 2; posted++)
    statuses.add((await post('seen')).status);
  expect([...statuses].sort()).toEqual([201, 403]);
  assertOk(await call('PATCH', `/${id}`, ada, { canary: { end: 'rollback' } }));
  expect((await call('GET', `/${id}`, ada)).body.data.observe).toBe(true);
});

test('the effect counts what was held by what became of it, for those who may see it', async () => {
  const id = await make(blocking('hold', { actions: [{ type: 'flag_for_review' }] }));
  const held = [await post('hold'), await post('hold'), await post('hold')];
  for (const [index, decision] of ['approve', 'reject'].entries()) {
    const { reviewId } = held[index]!.body.data;
    const body = { decision, reason: 'Seen' };
    assertOk(
      await app.call('POST', `/api/v1/review-queue/${reviewId}/decision`, {
        token: ada.token,
        body,
      }),
    );
  }
  expect(await readEffect(id)).toMatchObject({
    days: [{ approved: 0, flagged: 3, blocked: 0, observed: 0 }],
    held: { waiting: 1, approved: 1, rejected: 1, other: 0 },
  });
  expect((await call('GET', `/${id}/effect`, eve)).status).toBe(404);
});

test(
  'the effect goes over the newest 10,000 and says how far they reach',
  { tags: ['long'] },
  async () => {
    const owner = await createOwner(app, 'Many');
    const { key: manyKey } = await createWorkspaceKey(app, owner);
    const id = await make(blocking('hold', { actions: [{ type: 'flag_for_review' }] }), owner);
    expect((await post('hold', manyKey)).status).toBe(202);
    await insertCopies(harness, owner, 10_500);
    const begun = performance.now();
    const { data } = assertOk(await call('GET', `/${id}/effect`, owner)).body;
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(data).toMatchObject({
      since: expect.any(String),
      days: [{ flagged: 10_000 }],
      held: { waiting: 10_000 },
      tools: [{ name: 'hold', count: 200 }],
    });
    expect(data.examples).toHaveLength(10);
  },
);
