// Sessions as people see them: the list, one of them, and its steps in the order of the chain.
import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/json';
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

type Agent = Awaited<ReturnType<typeof createAgent>>;
type Step = Record<string, unknown>;

const decide = (agent: Agent, tool: string, more: object = {}): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', {
    key: agent.key,
    body: buildDecision(agent.id, {
      outputDecision: { action: { tool, arguments: { to: 'x' } } },
      ...more,
    }),
  });
const decideId = async (agent: Agent, tool: string, more: object = {}): Promise<string> => {
  const { body } = await decide(agent, tool, more);
  return body.data.traceId;
};

const read = async (path: string, { token }: { token: string } = ada) =>
  assertOk(await app.call('GET', `/api/v1/sessions${path}`, { token })).body;
const readSteps = async (traceId: string, query = '', owner: Owner = ada): Promise<Step[]> =>
  (await read(`/${traceId}/steps${query}`, owner)).data.steps;

const createPolicy = async (conditions: object[], type: string, owner: Owner): Promise<void> => {
  const body = { name: `Rule ${type}`, conditions, actions: [{ type }] };
  assertOk(await app.call('POST', '/api/v1/policies', { token: owner.token, body }));
};
const uses = (tool: string) => [{ field: 'action.names', operator: 'contains', value: tool }];
const listTool = async (name: string, entry: object, { token }: Owner): Promise<void> => {
  const body = { entries: [{ does: [], gives: [], ...entry }] };
  assertOk(await app.call('PUT', `/api/v1/tools/${name}`, { token, body }));
};
const judge = async ({ token }: Owner, held: Answer, body: object): Promise<void> => {
  const path = `/api/v1/review-queue/${held.body.data.reviewId}/decision`;
  assertOk(await app.call('POST', path, { token, body }));
};

async function execute({ key }: Agent, { body }: Answer, tool: string): Promise<void> {
  const path = `/api/v1/traces/${body.data.traceId}/executions`;
  const action = canonicalize({ tool, arguments: { to: 'x' } });
  const rawActionDigest = createHash('sha256').update(action).digest('hex');
  const claimed = assertOk(await app.call('POST', path, { key, body: { rawActionDigest } }));
  const { executionId } = claimed.body.data;
  const said = { outcome: 'succeeded', summary: 'Sent to one' };
  assertOk(await app.call('PATCH', `${path}/${executionId}`, { key, body: said }));
}

test('a session shows decisions, verdicts, executions and withdrawals in the order of the chain', async () => {
  const owner = await createOwner(app, 'Order');
  await createPolicy(uses('send_mail'), 'flag_for_review', owner);
  await createPolicy(uses('drop_table'), 'block', owner);
  const agent = await createAgent(app, owner);
  const sessionId = 'case-1';
  const first = await decideId(agent, 'read_mail', { sessionId });
  const held = await decide(agent, 'send_mail', { sessionId });
  const rejected = await decide(agent, 'send_mail', { sessionId });
  const withdrawn = await decide(agent, 'send_mail', { sessionId });
  await judge(owner, held, { decision: 'approve' });
  await judge(owner, rejected, { decision: 'reject', reason: 'Not to them' });
  const path = `/api/v1/traces/${withdrawn.body.data.traceId}/withdraw`;
  assertOk(await app.call('POST', path, { key: agent.key, body: {} }));
  await execute(agent, held, 'send_mail');
  expect((await decide(agent, 'drop_table', { sessionId })).status).toBe(403);
  const waiting = await decideId(agent, 'send_mail', { sessionId });

  const steps = await readSteps(first, '', owner);
  expect(steps.map(({ kind, result, status }) => [kind, result ?? status])).toEqual([
    ['decision', 'approved'],
    ['decision', 'approved'],
    ['decision', 'blocked'],
    ['decision', 'blocked'],
    ['verdict', 'approved'],
    ['verdict', 'rejected'],
    ['withdrawal', null],
    ['claim', 'claimed'],
    ['outcome', 'succeeded'],
    ['decision', 'blocked'],
    ['decision', 'flagged'],
  ]);
  const sequences = steps.map(({ sequence }) => sequence as number);
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  expect(steps[1]).toMatchObject({
    tool: 'send_mail',
    summary: 'to: x',
    verdict: 'flagged',
    policy: 'Rule flag_for_review',
  });
  expect(steps[5]).toMatchObject({ reason: 'Not to them', by: { kind: 'user' } });
  expect(steps[8]).toMatchObject({ summary: 'Sent to one', by: { kind: 'agentKey' } });

  const { data } = await read(`/${waiting}`, owner);
  expect(data).toMatchObject({
    sessionId,
    agentId: agent.id,
    decisions: 6,
    held: 1,
    blocked: 3,
    state: null,
    judgedOn: null,
    parent: null,
    halt: null,
    mayBeHalted: true,
  });
});

test('where tools are listed, the session says which decision gave each label', async () => {
  const owner = await createOwner(app, 'Labels');
  await listTool('read_mail', { gives: ['private'] }, owner);
  await listTool('send_mail', { does: ['outbound'] }, owner);
  const agent = await createAgent(app, owner);
  const gave = await decideId(agent, 'read_mail', { sessionId: 'a' });
  const after = await decideId(agent, 'send_mail', { sessionId: 'a' });
  const { data } = await read(`/${after}`, owner);
  expect(data.state).toMatchObject({
    labels: [{ label: 'private', traceId: gave }],
    counts: [{ effect: 'outbound', times: 1 }],
    acts: 2,
  });
  expect(data.judgedOn).toMatchObject({ n: 2, state: { labels: [{ traceId: gave }], acts: 1 } });
  expect((await read('?label=private', owner)).data).toHaveLength(1);
  expect((await read('?label=secret', owner)).data).toEqual([]);
});

test('the same id of another agent, workspace or organisation is another session', async () => {
  const owner = await createOwner(app, 'Apart');
  const [one, other] = [await createAgent(app, owner), await createAgent(app, owner)];
  const sessionId = 'shared';
  const named = await decideId(one, 'a', { sessionId });
  await decideId(one, 'b', { sessionId });
  await decideId(other, 'c', { sessionId });
  expect((await readSteps(named, '', owner)).map(({ tool }) => tool)).toEqual(['a', 'b']);
  const listed = await read(`?sessionId=${sessionId}`, owner);
  expect(listed.data.map((each: Step) => [each['agentId'], each['decisions']])).toEqual([
    [other.id, 1],
    [one.id, 2],
  ]);
  expect(listed.since).toBeNull();
  const mine = await read(`?agentId=${one.id}&limit=1`, owner);
  expect(mine.data).toHaveLength(1);
  const foreign = await app.call('GET', `/api/v1/sessions/${named}`, { token: ada.token });
  expect(foreign.status).toBe(404);
  const scoped = await createWorkspaceKey(app, owner, { scope: { agentIds: [other.id] } });
  const path = `/api/v1/sessions/${named}/steps`;
  expect((await app.call('GET', path, { key: scoped.key })).status).toBe(404);
  const seen = await app.call('GET', '/api/v1/sessions', { key: scoped.key });
  expect(assertOk(seen).body.data.map((each: Step) => each['agentId'])).toEqual([other.id]);
});

test('sessions are found by what waits, what was blocked, and what is halted', async () => {
  const owner = await createOwner(app, 'Filters');
  await createPolicy(uses('hold'), 'flag_for_review', owner);
  await createPolicy(uses('stop'), 'block', owner);
  const agent = await createAgent(app, owner);
  await decideId(agent, 'hold', { sessionId: 'held' });
  await decideId(agent, 'stop', { sessionId: 'blocked' });
  const quiet = await decideId(agent, 'look', { sessionId: 'quiet' });
  const list = async (query: string) =>
    (await read(query, owner)).data.map(({ sessionId }: Step) => sessionId);
  expect(await list('')).toEqual(['quiet', 'blocked', 'held']);
  expect(await list('?status=held')).toEqual(['held']);
  expect(await list('?status=blocked')).toEqual(['blocked']);
  expect(await list('?status=halted')).toEqual([]);
  const { token } = owner;
  const body = { scope: 'session', target: quiet, state: 'halted', reason: 'Enough' };
  assertOk(await app.call('POST', '/api/v1/halts', { token, body }));
  expect(await list('?status=halted')).toEqual(['quiet']);
  expect((await read(`/${quiet}`, owner)).data.halt).toMatchObject({ reason: 'Enough' });
  const last = (await readSteps(quiet, '', owner)).at(-1);
  expect(last).toMatchObject({ kind: 'halt', result: 'halted', reason: 'Enough', traceId: null });
  expect(await list('?dateTo=2020-01-01')).toEqual([]);
  expect(await list('?dateFrom=2020-01-01&page=2&limit=2')).toEqual(['held']);
});

test('steps come in pages to both sides, and new ones after the last', async () => {
  const owner = await createOwner(app, 'Pages');
  const agent = await createAgent(app, owner);
  const traceIds: string[] = [];
  for (let at = 0; at < 7; at += 1)
    traceIds.push(await decideId(agent, `tool_${at}`, { sessionId: 'long' }));
  const [first = ''] = traceIds;
  const page = async (query: string) => (await read(`/${first}/steps${query}`, owner)).data;
  const newest = await page('?limit=3');
  expect(newest.steps.map(({ tool }: Step) => tool)).toEqual(['tool_4', 'tool_5', 'tool_6']);
  expect(newest.isLast).toBe(true);
  const earlier = await page(`?limit=4&before=${newest.before}`);
  expect(earlier.steps.map(({ tool }: Step) => tool)).toEqual([
    'tool_0',
    'tool_1',
    'tool_2',
    'tool_3',
  ]);
  expect((await page(`?limit=4&before=${earlier.before}`)).steps).toEqual([]);
  expect((await page(`?after=${newest.after}`)).steps).toEqual([]);
  await decideId(agent, 'tool_7', { sessionId: 'long' });
  const later = await page(`?after=${newest.after}`);
  expect(later.steps.map(({ tool }: Step) => tool)).toEqual(['tool_7']);
  const forward = await page('?after=0&limit=2');
  expect(forward).toMatchObject({ isLast: false, before: null });
  const next = await page(`?after=${forward.after}&limit=2`);
  expect(next.steps.map(({ tool }: Step) => tool)).toEqual(['tool_2', 'tool_3']);
  const path = `/api/v1/sessions/${first}/steps?before=1&after=1`;
  expect((await app.call('GET', path, { token: owner.token })).status).toBe(400);
});

test('decisions of other sessions that follow from one are its children', async () => {
  const owner = await createOwner(app, 'Family');
  const [parent, child] = [await createAgent(app, owner), await createAgent(app, owner)];
  const root = await decideId(parent, 'plan', { sessionId: 'p' });
  const within = await decideId(parent, 'ask', { sessionId: 'p', parentTraceId: root });
  const beyond = await decideId(child, 'search', { sessionId: 'c', parentTraceId: within });
  const steps = await readSteps(root, '', owner);
  expect(steps.map(({ kind, parentTraceId }) => [kind, parentTraceId])).toEqual([
    ['decision', null],
    ['decision', root],
    ['child', within],
  ]);
  const { data } = await read(`/${beyond}`, owner);
  expect(data).toMatchObject({ decisions: 1, parent: { traceId: within, isOther: true } });
  expect((await read(`/${within}`, owner)).data.parent).toEqual({ traceId: root, isOther: false });
});

test('without an id, decisions of a conversation or of one line of parents are shown together', async () => {
  const owner = await createOwner(app, 'Unnamed');
  const agent = await createAgent(app, owner);
  const talk = { inputContext: { prompt: 'Hello', conversationId: 'talk' } };
  const one = await decideId(agent, 'a', talk);
  await decideId(agent, 'b', { inputContext: { prompt: 'Hi', conversationId: 'other' } });
  await decideId(agent, 'c', talk);
  expect((await readSteps(one, '', owner)).map(({ tool }) => tool)).toEqual(['a', 'c']);
  const root = await decideId(agent, 'd');
  const next = await decideId(agent, 'e', { parentTraceId: root });
  const last = await decideId(agent, 'f', { parentTraceId: next });
  expect((await readSteps(last, '', owner)).map(({ tool }) => tool)).toEqual(['d', 'e', 'f']);
  const { data } = await read(`/${last}`, owner);
  expect(data).toMatchObject({ sessionId: null, decisions: 3, mayBeHalted: false });
  expect((await read('', owner)).data).toEqual([]);
});

test('an erased decision stays a step where the chain knows the session, without its words', async () => {
  const owner = await createOwner(app, 'Erased');
  await listTool('read_mail', { gives: ['private'] }, owner);
  const agent = await createAgent(app, owner);
  const gone = await decideId(agent, 'read_mail', { sessionId: 'e' });
  const kept = await decideId(agent, 'read_mail', { sessionId: 'e' });
  const erase = async (step: string, body: object) =>
    assertOk(await app.call('POST', `/api/v1/erasure/${step}`, { token: owner.token, body })).body
      .data;
  const { acknowledgementId, impactDigest } = await erase('acknowledge', {
    traceIds: [gone],
    reason: 'asked for',
  });
  await erase('execute', { acknowledgementId, impactDigest });
  const steps = await readSteps(kept, '', owner);
  expect(steps.filter(({ kind }) => kind === 'decision')).toHaveLength(2);
  expect(steps[0]).toMatchObject({ traceId: gone, tool: null, summary: null, isErased: true });
  expect(steps.some(({ kind }) => kind === 'erasure')).toBe(true);
  const { token } = owner;
  expect((await app.call('GET', `/api/v1/sessions/${gone}`, { token })).status).toBe(404);
  expect((await read('', owner)).data).toMatchObject([{ sessionId: 'e', decisions: 2 }]);
});

test('hostile names and actions are shown as they are, within bounds', async () => {
  const owner = await createOwner(app, 'Hostile');
  const agent = await createAgent(app, owner);
  const sessionId = '$where: {"$gt": ""} \u202e<script>';
  const action = { tool: 'x'.repeat(3000), arguments: { a: '\ud83d\ude00'.repeat(500) } };
  const traceId = await decideId(agent, 'a', { sessionId, outputDecision: { action } });
  const query = `?sessionId=${encodeURIComponent(sessionId)}`;
  expect((await read(query, owner)).data).toMatchObject([{ sessionId }]);
  const [step] = await readSteps(traceId, '', owner);
  expect(String(step?.['tool'])).toHaveLength(200);
  expect(String(step?.['summary']).length).toBeLessThanOrEqual(201);
  const { token } = owner;
  for (const bad of ['?label=$where', '?status=x', '?dateFrom=x', '?agentId='])
    expect((await app.call('GET', `/api/v1/sessions${bad}`, { token })).status).toBe(400);
  expect((await app.call('GET', '/api/v1/sessions/trc_x', { token })).status).toBe(404);
});

test('the policies of today say what they would have decided', async () => {
  const owner = await createOwner(app, 'Today');
  const agent = await createAgent(app, owner);
  const sessionId = 'today';
  const free = await decideId(agent, 'send_mail', { sessionId });
  await decideId(agent, 'look', { sessionId });
  await createPolicy(uses('send_mail'), 'flag_for_review', owner);
  const replay = async (body: object) =>
    assertOk(
      await app.call('POST', `/api/v1/sessions/${free}/replay`, { token: owner.token, body }),
    ).body.data;
  const { decisions, before } = await replay({});
  expect(before).toBeNull();
  expect(decisions).toMatchObject([
    { from: 'approved', to: 'approved', policy: null, because: null },
    { traceId: free, from: 'approved', to: 'flagged', policy: { name: 'Rule flag_for_review' } },
  ]);
  const page = await replay({ limit: 1 });
  expect((await replay({ before: page.before })).decisions).toMatchObject([{ traceId: free }]);
});
