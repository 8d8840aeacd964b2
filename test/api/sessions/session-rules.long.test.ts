// Policies on what a session did before: labels stay, decisions of a session are judged one after the other.
// @module-tag long
import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/json';
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createAgent,
  createOwner,
  type Owner,
} from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import type { Answer } from '../../setup/start-app.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);

type Agent = Awaited<ReturnType<typeof createAgent>>;

const listTool = async (name: string, entry: object, { token }: Owner): Promise<void> => {
  const body = { entries: [{ does: [], gives: [], ...entry }] };
  assertOk(await app.call('PUT', `/api/v1/tools/${name}`, { token, body }));
};

async function listTools(owner: Owner = ada): Promise<void> {
  await listTool('read_mail', { gives: ['untrusted', 'private'] }, owner);
  await listTool('send_mail', { does: ['outbound'], after: ['make_backup'] }, owner);
  await listTool('make_backup', { does: ['write'] }, owner);
  await listTool('look_up', {}, owner);
}

const createPolicy = async (
  conditions: object[],
  type: string,
  { token } = ada,
): Promise<string> => {
  const body = { name: 'Rule', conditions, actions: [{ type }] };
  return assertOk(await app.call('POST', '/api/v1/policies', { token, body })).body.data._id;
};

const decide = (agent: Agent, tool: string, more: object = {}): Promise<Answer> => {
  const outputDecision = { action: { tool, arguments: {} } };
  return app.call('POST', '/api/v1/traces', {
    key: agent.key,
    body: buildDecision(agent.id, { outputDecision, ...more }),
  });
};
const verify = async ({ token } = ada): Promise<unknown> =>
  assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token })).body.data;

const AFTER_UNTRUSTED = [
  { field: 'session.labels', operator: 'contains', value: 'untrusted', logicalOperator: 'AND' },
  { field: 'action.does', operator: 'contains', value: 'outbound' },
];

test('what a session has read decides what it may do next', async () => {
  await listTools();
  await createPolicy(AFTER_UNTRUSTED, 'block');
  const agent = await createAgent(app, ada);
  const sessionId = 'mail';
  assertOk(await decide(agent, 'send_mail', { sessionId }));
  assertOk(await decide(agent, 'read_mail', { sessionId }));
  assertOk(await decide(agent, 'look_up', { sessionId }));
  expect(await decide(agent, 'send_mail', { sessionId })).toMatchObject({ status: 403 });
  // What no one has listed does everything.
  expect(await decide(agent, 'transfer', { sessionId })).toMatchObject({ status: 403 });
  assertOk(await decide(agent, 'send_mail', { sessionId: 'other' }));
  assertOk(await decide(await createAgent(app, ada), 'send_mail', { sessionId }));
  expect(await verify()).toMatchObject({ ok: true });
});

async function useRules(name: string, rules: readonly (readonly [object[], string])[]) {
  const owner = await createOwner(app, name);
  await listTools(owner);
  for (const [conditions, type] of rules) await createPolicy(conditions, type, owner);
  const agent = await createAgent(app, owner);
  const decideHere = (tool: string, more: object = {}) => decide(agent, tool, more);
  return { owner, agent, decide: decideHere, verify: () => verify(owner) };
}

const holding = (tool: string) => [{ field: 'action.names', operator: 'contains', value: tool }];
const judge = async ({ token }: Owner, { body }: Answer, decision: string): Promise<Answer> =>
  assertOk(
    await app.call('POST', `/api/v1/review-queue/${body.data.reviewId}/decision`, {
      token,
      body: { decision, ...(decision === 'reject' && { reason: 'No' }) },
    }),
  );

test('what is held adds nothing until a person approves, what is rejected never', async () => {
  const at = await useRules('Held', [
    [AFTER_UNTRUSTED, 'block'],
    [holding('read_mail'), 'flag_for_review'],
  ]);
  const held = assertOk(await at.decide('read_mail'));
  assertOk(await at.decide('send_mail'));
  await judge(at.owner, held, 'reject');
  assertOk(await at.decide('send_mail'));
  await judge(at.owner, assertOk(await at.decide('read_mail')), 'approve');
  expect(await at.decide('send_mail')).toMatchObject({ status: 403 });
  expect(await at.verify()).toMatchObject({ ok: true });
});

/** Claims the action of a decision and reports what its result holds. */
async function execute(agent: Agent, { body }: Answer, tool: string, labels: string[]) {
  const { key } = agent;
  const path = `/api/v1/traces/${body.data.traceId}/executions`;
  const action = canonicalize({ tool, arguments: {} });
  const rawActionDigest = createHash('sha256').update(action).digest('hex');
  const claimed = assertOk(await app.call('POST', path, { key, body: { rawActionDigest } }));
  const said = { outcome: 'succeeded', labels };
  const { executionId } = claimed.body.data;
  assertOk(await app.call('PATCH', `${path}/${executionId}`, { key, body: said }));
}

test('labels of a decision and of a result are added, words of no catalogue are not', async () => {
  const at = await useRules('Labels', [[AFTER_UNTRUSTED, 'block']]);
  assertOk(await at.decide('look_up', { labels: ['harmless', 'Untrusted'] }));
  const looked = assertOk(await at.decide('look_up', { sessionId: 'a' }));
  assertOk(await at.decide('send_mail'));
  await execute(at.agent, looked, 'look_up', ['untrusted']);
  expect(await at.decide('send_mail', { sessionId: 'a' })).toMatchObject({ status: 403 });
  assertOk(await at.decide('look_up', { labels: ['untrusted'] }));
  expect(await at.decide('send_mail')).toMatchObject({ status: 403 });
  expect(await at.verify()).toMatchObject({ ok: true });
});

test('a tool waits for those that come before it', async () => {
  const missing = [{ field: 'action.missing', operator: 'contains', value: 'make_backup' }];
  const at = await useRules('Steps', [[missing, 'block']]);
  expect(await at.decide('send_mail')).toMatchObject({ status: 403 });
  assertOk(await at.decide('make_backup'));
  assertOk(await at.decide('send_mail'));
  expect(await at.decide('send_mail', { sessionId: 'other' })).toMatchObject({ status: 403 });
});

test('a session begins with the labels of the one that it follows from, and ends when it idles', async () => {
  const at = await useRules('Parents', [[AFTER_UNTRUSTED, 'block']]);
  const read = assertOk(await at.decide('read_mail', { sessionId: 'parent' }));
  const parentTraceId = read.body.data.traceId;
  const child = await createAgent(app, at.owner);
  assertOk(await decide(child, 'look_up', { parentTraceId, sessionId: 'child' }));
  expect(await decide(child, 'send_mail', { sessionId: 'child' })).toMatchObject({ status: 403 });
  // Without a session of its own a decision belongs to that of the one before.
  expect(await at.decide('send_mail', { parentTraceId })).toMatchObject({ status: 403 });
  assertOk(await at.decide('send_mail'));
  clock.aheadMs += 24 * 3_600_000 + 60_000;
  assertOk(await decide(child, 'send_mail', { sessionId: 'child' }));
  expect(await at.verify()).toMatchObject({ ok: true });
});

test('where all that an agent does is one session, another name does not leave the past behind', async () => {
  const at = await useRules('Agents', [[AFTER_UNTRUSTED, 'block']]);
  const { token, workspaceId } = at.owner;
  const path = `/api/v1/workspaces/${workspaceId}`;
  const body = { sessions: { by: 'agent' } };
  expect(assertOk(await app.call('PATCH', path, { token, body })).body.data.sessions).toEqual({
    by: 'agent',
    idleHours: 24,
  });
  assertOk(await at.decide('read_mail', { sessionId: 'one' }));
  expect(await at.decide('send_mail', { sessionId: 'two' })).toMatchObject({ status: 403 });
  const wrong = await app.call('PATCH', path, { token, body: { sessions: { idleHours: 0 } } });
  expect(wrong).toMatchObject({ status: 400 });
});

test('of decisions that come at once each is judged on those before it', async () => {
  const full = [{ field: 'session.count', operator: 'at_least', value: 5 }];
  const at = await useRules('Crowd', [[full, 'block']]);
  const all = await Promise.all(Array.from({ length: 60 }, () => at.decide('look_up')));
  expect(all.filter(({ status }) => status < 300)).toHaveLength(5);
  expect(all.filter(({ status }) => status === 403)).toHaveLength(55);
  const decisions = Array.from({ length: 20 }, () =>
    buildDecision(at.agent.id, {
      sessionId: 'batch',
      outputDecision: { action: { tool: 'look_up', arguments: {} } },
    }),
  );
  const batch = assertOk(
    await app.call('POST', '/api/v1/traces/batch', { key: at.agent.key, body: { decisions } }),
  );
  const statuses = batch.body.data.results.map(({ status }: { status: number }) => status);
  expect(statuses.slice(0, 5).every((status: number) => status < 300)).toBe(true);
  expect(statuses.slice(5).every((status: number) => status === 403)).toBe(true);
  expect(await at.verify()).toMatchObject({ ok: true });
});

test('large decisions are judged alike, between small ones', async () => {
  const at = await useRules('Large', [[AFTER_UNTRUSTED, 'block']]);
  const large = (tool: string): Promise<Answer> => {
    const outputDecision = { action: { tool, arguments: {} } };
    const body = buildDecision(at.agent.id, { outputDecision, sessionId: 'a' });
    // Blanks make a body large and mean nothing.
    const raw = JSON.stringify(body).padEnd(150_000);
    return app.call('POST', '/api/v1/traces', { key: at.agent.key, raw });
  };
  assertOk(await large('send_mail'));
  assertOk(await large('read_mail'));
  expect(await large('send_mail')).toMatchObject({ status: 403 });
  const both = await Promise.all([large('look_up'), at.decide('look_up', { sessionId: 'a' })]);
  both.forEach(assertOk);
  expect(await at.verify()).toMatchObject({ ok: true });
});

test('a session that was changed in the database is found', async () => {
  const at = await useRules('Tampered', [[AFTER_UNTRUSTED, 'block']]);
  const read = assertOk(await at.decide('read_mail'));
  assertOk(await at.decide('look_up'));
  const ledger = harness.db.collection('ledger');
  const { traceId } = read.body.data;
  const before = await ledger.findOne({ traceId });
  const state = before?.['session'];
  const changes = [
    { $set: { 'session.state.labels': {} } },
    { $set: { 'session.n': 2 } },
    { $set: { 'session.key': 'a'.repeat(22) } },
    { $unset: { session: '' } },
  ];
  for (const change of changes) {
    await ledger.updateOne({ traceId }, change);
    expect(await at.verify()).toMatchObject({ ok: false });
    await ledger.updateOne({ traceId }, { $set: { session: state } });
  }
  expect(await at.verify()).toMatchObject({ ok: true });
});
