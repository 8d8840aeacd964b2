// Spans that name a decision which is not theirs: each is on the record, as done against a verdict.
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { sha256Hex } from '../../../src/domain/record/chain.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createAgent, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import { startApp } from '../../setup/start-app.ts';
import { buildExport, buildToolSpan } from '../../setup/otlp/exports.ts';
import { sendExport } from './sending.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;

beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (const [value, type] of [
    ['pay', 'flag_for_review'],
    ['wipe', 'block'],
  ] as const)
    assertOk(
      await app.call('POST', '/api/v1/policies', {
        token: ada.token,
        body: {
          name: value,
          conditions: [{ field: 'outputDecision.action.tool', operator: 'equals', value }],
          actions: [{ type, config: {} }],
        },
      }),
    );
});

interface Asked {
  traceId: string;
  reviewId: string;
  actionDigest: string;
}

let asked = 0;
async function ask(agentId: string, action: unknown): Promise<Asked> {
  asked += 1;
  const body = { agentId, inputContext: { prompt: `p ${asked}` }, outputDecision: { action } };
  return (await app.call('POST', '/api/v1/traces', { key, body })).body.data;
}

async function decide({ reviewId }: Asked, body: object): Promise<void> {
  const path = `/api/v1/review-queue/${reviewId}/decision`;
  assertOk(await app.call('POST', path, { token: ada.token, body: { reason: 'Seen', ...body } }));
}

async function claim({ traceId }: Asked, action: Json, more: object = {}): Promise<void> {
  const body = { rawActionDigest: sha256Hex(canonicalize(action)), ...more };
  assertOk(await app.call('POST', `/api/v1/traces/${traceId}/executions`, { key, body }));
}

interface Act {
  agent: string;
  tool: string;
  args?: object | undefined;
  under: string;
}

const span = ({ agent, tool, args, under }: Act): object => {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.agent.name': agent,
    'assay.decision.id': under,
    ...(args && { 'gen_ai.tool.call.arguments': JSON.stringify(args) }),
  };
  const list = Object.entries(attributes).map(([name, stringValue]) => ({
    key: name,
    value: { stringValue },
  }));
  return buildToolSpan({}, { attributes: list });
};

async function report(spans: object[], by = app): Promise<void> {
  const answer = await sendExport(by, key, buildExport(...spans));
  expect([answer.status, answer.body]).toEqual([200, {}]);
}

interface Found {
  tags: string[];
  parentTraceId?: string;
  outputDecision: { action: { tool: string } };
}

async function listObserved(by = ada): Promise<Found[]> {
  const path = '/api/v1/traces?observed=true&limit=100';
  return assertOk(await app.call('GET', path, { token: by.token })).body.data;
}

/** Reports spans, and lists what is new on the record. */
async function reportAll(...spans: object[]): Promise<Found[]> {
  const before = (await listObserved()).length;
  await report(spans);
  return (await listObserved()).slice(0, -before || undefined);
}

const breach = expect.arrayContaining(['OBSERVED', 'AGAINST_VERDICT']);

test('an approved decision covers its own act alone', async () => {
  const { traceId: under } = await ask('desk', 'say hello');
  const nukes = [1, 2, 3].map((target) =>
    span({ agent: 'desk', tool: 'nuke', args: { target }, under }),
  );
  const found = await reportAll(...nukes);
  expect(found).toHaveLength(3);
  for (const each of found) expect(each).toMatchObject({ tags: breach, parentTraceId: under });
  expect(await reportAll(...nukes)).toEqual([]);
});

const pay = { tool: 'pay', arguments: { amount: 1 } };
const ship = { tool: 'ship', arguments: { order: 1 } };

const others: [what: string, prepare: () => Promise<Omit<Act, 'agent'> & { agent?: string }>][] = [
  [
    'other arguments',
    async () => ({ tool: 'ship', args: { order: 2 }, under: (await ask('desk', ship)).traceId }),
  ],
  [
    'another tool without arguments',
    async () => ({ tool: 'nuke', under: (await ask('desk', ship)).traceId }),
  ],
  [
    'another agent',
    async () => ({
      agent: 'intruder',
      tool: 'ship',
      args: { order: 1 },
      under: (await ask('desk', ship)).traceId,
    }),
  ],
  [
    'a decision that is pending',
    async () => ({ tool: 'pay', args: { amount: 1 }, under: (await ask('desk', pay)).traceId }),
  ],
  [
    'a decision that was approved and not claimed',
    async () => {
      const held = await ask('desk', pay);
      await decide(held, { decision: 'approve' });
      return { tool: 'pay', args: { amount: 1 }, under: held.traceId };
    },
  ],
  [
    'a decision that was rejected',
    async () => {
      const held = await ask('desk', pay);
      await decide(held, { decision: 'reject' });
      return { tool: 'pay', args: { amount: 1 }, under: held.traceId };
    },
  ],
  [
    'a decision that was withdrawn',
    async () => {
      const held = await ask('desk', pay);
      const path = `/api/v1/traces/${held.traceId}/withdraw`;
      assertOk(await app.call('POST', path, { key, body: { reason: 'No longer' } }));
      return { tool: 'pay', args: { amount: 1 }, under: held.traceId };
    },
  ],
  [
    'a decision that was blocked',
    async () => ({
      tool: 'wipe',
      args: { disk: 1 },
      under: (await ask('desk', { tool: 'wipe', arguments: { disk: 1 } })).traceId,
    }),
  ],
  [
    'a decision whose status a person changed',
    async () => {
      const { traceId: under } = await ask('desk', ship);
      const { token } = ada;
      const { _id } = (await app.call('GET', `/api/v1/traces/${under}`, { token })).body.data;
      const body = { ids: [_id], status: 'blocked' };
      assertOk(await app.call('POST', '/api/v1/traces/bulk-status', { token, body }));
      return { tool: 'ship', under };
    },
  ],
  [
    'the edits that were not claimed',
    async () => {
      const held = await ask('desk', pay);
      const edits = { arguments: { amount: 2 } };
      await decide(held, { decision: 'approve', edits, actionDigest: held.actionDigest });
      const edited = { tool: 'pay', arguments: { amount: 2 } };
      const editedActionDigest = sha256Hex(canonicalize(edited));
      await claim(held, pay, { action: pay, editedActionDigest });
      return { tool: 'pay', args: { amount: 1 }, under: held.traceId };
    },
  ],
  [
    'a decision that reports an act itself',
    async () => {
      const [first] = await reportAll(
        span({ agent: 'desk', tool: 'nuke', args: { now: true }, under: 'trc_none' }),
      );
      const { traceId: under } = first as unknown as { traceId: string };
      return { tool: 'nuke', args: { now: true }, under };
    },
  ],
];

describe('a span is recorded as done against a verdict when it names', () => {
  test.for(others)('%s', async ([, prepare]) => {
    const act = { agent: 'desk', ...(await prepare()) };
    const found = await reportAll(span(act));
    expect(found).toEqual([expect.objectContaining({ tags: breach, parentTraceId: act.under })]);
  });

  test('no decision that the caller knows, and then it follows from none', async () => {
    const eve = await createOwner(app, 'Eve');
    const { key: theirs } = await createWorkspaceKey(app, eve);
    const { traceId } = await ask('desk', ship);
    const ids = [traceId, `trc_${'0'.repeat(32)}`, '{"$ne":1}', 'trc_', 'x'.repeat(5000)];
    const spans = ids.map((under) =>
      span({ agent: 'desk', tool: 'ship', args: { order: 1 }, under }),
    );
    const answer = await sendExport(app, theirs, buildExport(...spans));
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const found = await listObserved(eve as typeof ada);
    expect(found).toHaveLength(ids.length);
    for (const each of found) {
      expect(each.tags).toEqual(breach);
      expect(each.parentTraceId).toBeUndefined();
    }
  });

  test('the decision of another agent, with the key of an agent', async () => {
    const [desk, intruder] = [await createAgent(app, ada), await createAgent(app, ada)];
    const { traceId: under } = await ask(desk.id, ship);
    const before = (await listObserved()).length;
    const act = { agent: desk.id, tool: 'ship', args: { order: 1 }, under };
    const answer = await sendExport(app, intruder.key, buildExport(span(act)));
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const [found, ...rest] = await listObserved();
    expect(rest).toHaveLength(before);
    expect(found).toMatchObject({ agentId: intruder.id, tags: breach });
  });
});

describe('the first span of an act is its own', () => {
  test('and a second one is an act of its own: in one export, in another, on another instance', async () => {
    const second = await startApp({}, { mongoUri: harness.mongoUri });
    const { traceId: under } = await ask('desk', ship);
    const act = { agent: 'desk', tool: 'ship', args: { order: 1 }, under };
    const spans = [1, 2, 3, 4].map(() => span(act)) as [object, object, object, object];
    const before = (await listObserved()).length;
    await report(spans.slice(0, 2));
    await report([spans[2]], second);
    await Promise.all([report(spans), report(spans, second)]);
    const found = (await listObserved()).slice(0, -before || undefined);
    expect(found).toHaveLength(3);
    for (const each of found) expect(each).toMatchObject({ tags: breach, parentTraceId: under });
    await second.stop();
  });

  test('also where the agent claimed it, or the span leaves the arguments out', async () => {
    const held = await ask('desk', pay);
    await decide(held, { decision: 'approve' });
    await claim(held, pay);
    const { traceId: silent } = await ask('desk', ship);
    const acts = [
      { agent: 'desk', tool: 'pay', args: { amount: 1 }, under: held.traceId },
      { agent: 'desk', tool: 'ship', under: silent },
    ];
    const first = acts.map(span);
    expect(await reportAll(...first)).toEqual([]);
    expect(await reportAll(...first)).toEqual([]);
    expect(await reportAll(...acts.map(span))).toHaveLength(2);
  });

  test('with the edits of its approval, with members beside tool and arguments, and under its name as text', async () => {
    const held = await ask('desk', pay);
    const edits = { arguments: { amount: 2 } };
    await decide(held, { decision: 'approve', edits, actionDigest: held.actionDigest });
    const edited = { tool: 'pay', arguments: { amount: 2 } };
    const editedActionDigest = sha256Hex(canonicalize(edited));
    await claim(held, pay, { action: pay, editedActionDigest });
    const { traceId: remote } = await ask('desk', { ...ship, server: 'warehouse' });
    const { traceId: text } = await ask('desk', 'say hello');
    const { traceId: secret } = await ask('desk', {
      tool: 'mail',
      arguments: { to: 'bob@example.com' },
    });
    const { traceId: large } = await ask('desk', {
      tool: 'write',
      arguments: { text: 'x'.repeat(9_500) },
    });
    const found = await reportAll(
      span({ agent: 'desk', tool: 'pay', args: { amount: 2 }, under: held.traceId }),
      span({ agent: 'desk', tool: 'ship', args: { order: 1 }, under: remote }),
      span({ agent: 'desk', tool: 'say hello', under: text }),
      span({ agent: 'desk', tool: 'mail', args: { to: 'bob@example.com' }, under: secret }),
      span({ agent: 'desk', tool: 'write', args: { text: 'x'.repeat(9_500) }, under: large }),
    );
    expect(found).toEqual([]);
  });
});
