// Acts that were asked for and traced: their spans are outcomes, or breaches; agents show what was not asked for.
import { beforeAll, expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { sha256Hex } from '../../../src/domain/record/chain.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { buildExport, buildToolSpan } from '../../setup/otlp/exports.ts';
import { sendExport } from './sending.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;

beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (const [value, type, config] of [
    ['pay', 'flag_for_review', {}],
    ['wipe', 'block', {}],
  ] as const)
    assertOk(
      await app.call('POST', '/api/v1/policies', {
        token: ada.token,
        body: {
          name: value,
          conditions: [{ field: 'outputDecision.action.tool', operator: 'equals', value }],
          actions: [{ type, config }],
        },
      }),
    );
});

interface Asked {
  traceId: string;
  status: string;
  reviewId: string | null;
}

async function ask(agentId: string, tool: string, args: object): Promise<Asked> {
  const body = {
    agentId,
    inputContext: { prompt: 'p' },
    outputDecision: { action: { tool, arguments: args } },
  };
  const answer = await app.call('POST', '/api/v1/traces', {
    key,
    body,
    headers: { 'idempotency-key': `${agentId}-${JSON.stringify(args)}` },
  });
  return answer.body.data;
}

const span = (agent: string, tool: string, args: object | null, more: object = {}) =>
  buildToolSpan({
    'gen_ai.agent.name': agent,
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.arguments': args ? JSON.stringify(args) : '',
    ...more,
  });
const toDecision = (id: string) => ({ 'assay.decision.id': id });
const breach = expect.arrayContaining(['OBSERVED', 'AGAINST_VERDICT']);
const failed = { status: { code: 2, message: 'no connection' } };

async function report(...spans: object[]): Promise<void> {
  const answer = await sendExport(app, key, buildExport(...spans));
  expect([answer.status, answer.body]).toEqual([200, {}]);
}

const listExecutions = async ({ traceId }: Asked): Promise<{ state: string }[]> =>
  assertOk(await app.call('GET', `/api/v1/traces/${traceId}/executions`, { key })).body.data;

interface Found {
  traceId: string;
  tags: string[];
  parentTraceId?: string;
}
const listObserved = async (agentId: string): Promise<Found[]> => {
  const path = `/api/v1/traces?observed=true&agentId=${agentId}`;
  return assertOk(await app.call('GET', path, { token: ada.token })).body.data;
};
const showAgent = async (id: string) => {
  await app.instance.runJobsOnce();
  return assertOk(await app.call('GET', `/api/v1/agents/${id}`, { token: ada.token })).body.data
    .observed;
};

test('a span of what was asked for is its outcome: once, however often it is exported', async () => {
  const { id } = await createAgent(app, ada);
  const good = await ask(id, 'ship', { order: 1 });
  const bad = await ask(id, 'ship', { order: 2 });
  const other = await ask(id, 'ship', { order: 3 });
  const silent = await ask(id, 'ship', { order: 4 });
  const spans = [
    span(id, 'ship', { order: 1 }, toDecision(good.traceId)),
    span(id, 'ship', { order: 2 }, { ...toDecision(bad.traceId) }),
    span(id, 'ship', { order: 300 }, toDecision(other.traceId)),
    span(id, 'ship', null, toDecision(silent.traceId)),
  ];
  Object.assign(spans[1] ?? {}, failed);
  await Promise.all([report(...spans), report(...spans)]);
  await report(...spans);
  expect((await listExecutions(good)).map(({ state }) => state)).toEqual(['succeeded']);
  expect((await listExecutions(bad)).map(({ state }) => state)).toEqual(['failed']);
  // Another action was done, or only its tool is named: no outcome of this one.
  expect(await listExecutions(other)).toEqual([]);
  expect(await listExecutions(silent)).toEqual([]);
  expect(await listObserved(id)).toEqual([
    expect.objectContaining({ parentTraceId: other.traceId, tags: breach }),
  ]);
  const verified = await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(verified.body.data).toMatchObject({ verified: true });
});

test('who claimed an action says what became of it, and the span leaves that', async () => {
  const { id } = await createAgent(app, ada);
  const asked = await ask(id, 'pay', { amount: 1 });
  const approval = `/api/v1/review-queue/${asked.reviewId}/decision`;
  const body = { decision: 'approve', reason: 'Seen' };
  assertOk(await app.call('POST', approval, { token: ada.token, body }));
  const digest = sha256Hex(canonicalize({ tool: 'pay', arguments: { amount: 1 } }));
  const path = `/api/v1/traces/${asked.traceId}/executions`;
  const claimed = await app.call('POST', path, { key, body: { rawActionDigest: digest } });
  const { executionId } = assertOk(claimed).body.data;
  await report(span(id, 'pay', { amount: 1 }, toDecision(asked.traceId)));
  expect((await listExecutions(asked)).map(({ state }) => state)).toEqual(['claimed']);
  const outcome = { outcome: 'succeeded', resultDigest: 'a'.repeat(64) };
  assertOk(await app.call('PATCH', `${path}/${executionId}`, { key, body: outcome }));
  expect(await listObserved(id)).toEqual([]);
});

test('an act that was held or blocked, and done all the same, is a breach that follows from its decision', async () => {
  const { id } = await createAgent(app, ada);
  const held = await ask(id, 'pay', { amount: 2 });
  const blocked = await ask(id, 'wipe', { disk: 1 });
  const spans = [
    span(id, 'pay', { amount: 2 }, toDecision(held.traceId)),
    span(id, 'wipe', { disk: 1 }, toDecision(blocked.traceId)),
  ];
  await report(...spans);
  await report(...spans);
  const found = await listObserved(id);
  expect(
    new Map(found.map((each) => [each.parentTraceId, each.tags.includes('AGAINST_VERDICT')])),
  ).toEqual(
    new Map([
      [held.traceId, true],
      [blocked.traceId, true],
    ]),
  );
  expect(found).toHaveLength(2);
  expect(await showAgent(id)).toEqual({ acts: 2, breaches: 2, lastAt: expect.any(String) });
});

test('agents show the acts that were not asked for, and how many of them are breaches', async () => {
  const { id } = await createAgent(app, ada);
  const idle = await createAgent(app, ada);
  await ask(id, 'read', { page: 1 });
  await report(
    span(id, 'read', { page: 2 }),
    span(id, 'pay', { amount: 5 }),
    span(id, 'wipe', { disk: 2 }),
  );
  expect(await showAgent(id)).toEqual({ acts: 3, breaches: 2, lastAt: expect.any(String) });
  expect(await showAgent(idle.id)).toEqual({ acts: 0, breaches: 0, lastAt: null });
  const list = await app.call('GET', '/api/v1/agents?limit=100', { token: ada.token });
  const states = new Map(
    list.body.data.map((agent: { id: string; observed: object }) => [agent.id, agent.observed]),
  );
  expect(states.get(id)).toMatchObject({ acts: 3, breaches: 2 });
  expect(await listObserved(id)).toHaveLength(3);
  const rest = await app.call('GET', `/api/v1/traces?observed=false&agentId=${id}`, {
    token: ada.token,
  });
  expect(rest.body.total).toBe(1);
});

test('a span that names the decision of another organisation says nothing about it', async () => {
  const { id } = await createAgent(app, ada);
  const asked = await ask(id, 'ship', { order: 9 });
  const eve = await createOwner(app, 'Eve');
  const { key: theirs } = await createWorkspaceKey(app, eve);
  const body = buildExport(span(id, 'ship', { order: 9 }, toDecision(asked.traceId)));
  expect((await sendExport(app, theirs, body)).status).toBe(200);
  expect(await listExecutions(asked)).toEqual([]);
  const { data } = (await app.call('GET', '/api/v1/traces', { token: eve.token })).body;
  expect(data).toHaveLength(1);
  const named = buildExport(
    span(id, 'x', null, toDecision('trc_' + '0'.repeat(32))),
    span(id, 'x', null, toDecision('{"$ne":1}')),
  );
  expect((await sendExport(app, theirs, named)).body).toEqual({});
  expect((await app.call('GET', '/api/v1/traces', { token: eve.token })).body.total).toBe(3);
});

test('the same span twice in one export is one decision', async () => {
  const { id } = await createAgent(app, ada);
  const twice = span(id, 'read', { page: 7 });
  await report(twice, twice);
  expect(await listObserved(id)).toHaveLength(1);
});
