// Standing grants: what one lets through, what it never does, how it ends, and what the chain says of it.
import { expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import { endDueGrants } from '../../../../src/governance/grants/grant-endings.service.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { useGrants } from './granting.ts';
import { createMember } from '../../../setup/harness.ts';
import { assertOk, createAgent } from '../../../setup/personas.ts';
import { toOutcome } from '../../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { call, list, addPolicy, prepare, post, decide, read, verify, exportLines } = useGrants(
  harness,
  ada,
);
const HOUR = { expiresIn: 3600 };

/** What the timed job does, as if it had not looked for long. */
async function endDue(): Promise<void> {
  const grants = harness.db.collection('standing_grants');
  await grants.updateMany({}, { $set: { checkedAt: new Date(0) } });
  await endDueGrants(app.instance.platform);
}

type Agent = { name: string; key: string };

/** Approves a held decision with a grant; returns its id. */
async function grant(agent: Agent, tool: string, terms: object = {}, token = ada.token) {
  const { reviewId } = await post(agent, tool);
  const body = { decision: 'approve', grant: { ...HOUR, ...terms } };
  return assertOk(await decide(reviewId, body, token)).body.data.grantId as string;
}
const statusOf = async (...which: Parameters<typeof post>) => (await post(...which)).status;

test('a grant lets through as many decisions as it was given for, and the chain says so', async () => {
  const { agent } = await prepare('pay_one');
  const id = await grant(agent, 'pay_one', { uses: 2, reason: 'Month end' });
  const passed = await post(agent, 'pay_one');
  expect(passed).toMatchObject({
    status: 'approved',
    reviewId: null,
    matchedPolicy: null,
    basis: { kind: 'grant', id, policy: { name: 'Hold pay_one' } },
  });
  expect(passed.tags).toContain('STANDING_GRANT');
  const shown = assertOk(await call('GET', `/traces/${passed.traceId}`)).body.data;
  expect(shown.basis).toEqual(passed.basis);
  expect(await read(id)).toMatchObject({
    status: 'granted',
    used: 1,
    left: 1,
    reason: 'Month end',
  });
  expect(await statusOf(agent, 'pay_one')).toBe('approved');
  expect(await post(agent, 'pay_one')).toMatchObject({ status: 'flagged' });
  await endDue();
  expect(await read(id)).toMatchObject({ status: 'exhausted', used: 2, left: 0, endedBy: null });
  const entries = await harness.db
    .collection('ledger')
    .find({ traceId: `grant:${id}` })
    .sort({ sequence: 1 })
    .toArray();
  expect(entries.map(({ view }) => JSON.parse(view as string).status)).toEqual([
    'granted',
    'exhausted',
  ]);
  expect(await verify()).toMatchObject({ verified: true });
  const { problems } = await verifyBundle(exportLines());
  expect(problems.map(({ code }) => code)).toEqual(['not-vouched']);
});

test('it reaches to no other agent, tool, server, hold, second call, or argument', async () => {
  const { agent } = await prepare('pay_two');
  const other = await createAgent(app, ada);
  await list('pay_other');
  await addPolicy('pay_other');
  const when = [{ field: 'arguments.amount', operator: 'at_most', value: 100 }];
  await grant(agent, 'pay_two', { when });
  expect(await statusOf(agent, 'pay_two', { amount: 100 })).toBe('approved');
  expect(await statusOf(agent, 'pay_two', { amount: 101 })).toBe('flagged');
  expect(await statusOf(agent, 'pay_two', { amount: 'one' })).toBe('flagged');
  expect(await statusOf(agent, 'pay_two', {})).toBe('flagged');
  expect(await statusOf(other, 'pay_two')).toBe('flagged');
  expect(await statusOf(agent, 'pay_other')).toBe('flagged');
  const action = { tool: 'pay_two', arguments: { amount: 1 } };
  const twice = { more: { outputDecision: { action, toolCalls: [action] } } };
  expect(await statusOf(agent, 'pay_two', {}, twice)).toBe('flagged');
  const served = { more: { outputDecision: { action: { ...action, server: 'evil' } } } };
  expect(await statusOf(agent, 'pay_two', {}, served)).toBe('flagged');
  await addPolicy('pay_two');
  expect(await statusOf(agent, 'pay_two')).toBe('flagged');
});

test('another listing of the tool, or another revision of the policy, ends it', async () => {
  const { agent, policyId } = await prepare('pay_three');
  const id = await grant(agent, 'pay_three');
  await list('pay_three', { does: ['money', 'outbound'], gives: [] });
  expect(await statusOf(agent, 'pay_three')).toBe('flagged');
  await list('pay_three', { does: ['money'], gives: [] });
  expect(await statusOf(agent, 'pay_three')).toBe('approved');
  const actions = [{ type: 'flag_for_review', config: { priority: 'high' } }];
  assertOk(await call('PATCH', `/policies/${policyId}`, { actions }));
  expect(await statusOf(agent, 'pay_three')).toBe('flagged');
  await endDue();
  expect(await read(id)).toMatchObject({ status: 'revoked', cause: 'policy', used: 1, left: 0 });
});

test('by hand it ends at once, also all of an agent, and with who gave it', async () => {
  const { agent } = await prepare('pay_four');
  const rita = await createMember(harness, ada, 'reviewer');
  const vera = await createMember(harness, ada, 'viewer');
  const mine = await grant(agent, 'pay_four');
  const refused = await call('DELETE', `/grants/${mine}`, {}, vera.token);
  expect(refused.status).toBe(403);
  for (let twice = 0; twice < 2; twice++)
    expect(
      assertOk(await call('DELETE', `/grants/${mine}`, { reason: 'No more' }, rita.token)).body
        .data,
    ).toMatchObject({ status: 'revoked', cause: null, endedBy: rita.userId, left: 0 });
  expect(await statusOf(agent, 'pay_four')).toBe('flagged');
  await grant(agent, 'pay_four');
  const all = await call('POST', '/grants/revoke', { agentId: agent.id });
  expect(assertOk(all).body.data).toEqual({ revoked: 1 });
  expect(await statusOf(agent, 'pay_four')).toBe('flagged');
  const hers = await grant(agent, 'pay_four', {}, rita.token);
  expect(await statusOf(agent, 'pay_four')).toBe('approved');
  assertOk(await call('DELETE', `/team/members/${rita.userId}`));
  expect(await statusOf(agent, 'pay_four')).toBe('flagged');
  await endDue();
  expect(await read(hers)).toMatchObject({ status: 'revoked', cause: 'membership', used: 1 });
  const standing = await call('GET', `/grants?standing=true&agentId=${agent.id}`);
  expect(assertOk(standing).body.data).toEqual([]);
  expect(await verify()).toMatchObject({ verified: true });
});

test.each<[string, object]>([
  ['too long', { expiresIn: 604_801 }],
  ['too often', { ...HOUR, uses: 1001 }],
  ['no end', { uses: 1 }],
  [
    'a bound on something else',
    { ...HOUR, when: [{ field: 'tags', operator: 'equals', value: 1 }] },
  ],
  ['a bad pattern', { ...HOUR, when: [{ field: 'arguments.to', operator: 'regex', value: '(' }] }],
])('%s is refused, and nothing is decided', async (_what, terms) => {
  const tool = 'pay_five';
  const { agent } = await prepared();
  const { reviewId } = await post(agent, tool);
  const refused = await decide(reviewId, { decision: 'approve', grant: terms });
  expect(toOutcome(refused)).toEqual([400, 'VALIDATION_ERROR']);
  const { status } = assertOk(await call('GET', `/review-queue/${reviewId}`)).body.data;
  expect(status).toBe('pending');
});

let known: ReturnType<typeof prepare> | undefined;
const prepared = () => (known ??= prepare('pay_five'));

test('what cannot be granted is refused before it is approved', async () => {
  const { agent } = await prepared();
  const refuse = async (tool: string, more: object = {}) => {
    const { reviewId } = await post(agent, tool);
    const answer = await decide(reviewId, { decision: 'approve', grant: HOUR, ...more });
    expect(answer.status).toBe(400);
    const { status } = assertOk(await call('GET', `/review-queue/${reviewId}`)).body.data;
    expect(status).toBe('pending');
    return JSON.stringify(answer.body);
  };
  await addPolicy('unknown_tool');
  expect(await refuse('unknown_tool')).toContain('not listed');
  await list('drop_table', { does: ['delete'], gives: [] });
  await addPolicy('drop_table');
  expect(await refuse('drop_table')).toContain('deletes');
  await list('pay_never');
  await addPolicy('pay_never', { grantable: false });
  expect(await refuse('pay_never')).toContain('cannot be granted');
  await list('pay_several');
  await addPolicy('pay_several', { approvals: { steps: [{ count: 2 }] } });
  expect(await refuse('pay_several')).toContain('cannot be granted');
  const edits = { actionDigest: 'a'.repeat(64), edits: { arguments: { amount: 1 } } };
  expect(await refuse('pay_five', edits)).toContain('edited');
  expect(await refuse('pay_five', { decision: 'reject' })).toContain('approval');
});

test('after the approval only who gave it may grant, and an edited one not at all', async () => {
  const { agent } = await prepared();
  const rita = await createMember(harness, ada, 'reviewer');
  const { reviewId, traceId } = await post(agent, 'pay_five');
  const ask = (token: string) =>
    call('POST', '/grants', { ...HOUR, uses: 1, fromTraceId: traceId }, token);
  expect(toOutcome(await ask(ada.token))).toEqual([400, 'INVALID_OPERATION']);
  assertOk(await decide(reviewId, { decision: 'approve' }));
  expect(toOutcome(await ask(rita.token))).toEqual([400, 'INVALID_OPERATION']);
  const made = await ask(ada.token);
  expect(made.status).toBe(201);
  expect(made.body.data).toMatchObject({ uses: 1, left: 1, tool: 'pay_five' });
  const edited = await post(agent, 'pay_five', { amount: 2 });
  expect(edited.status).toBe('approved');
});

test('a halt and a passed limit stand in the way of every grant', async () => {
  const { agent } = await prepare('pay_six');
  await grant(agent, 'pay_six');
  const limit = { of: 'acts', per: 'agent', window: '24h', most: 1 };
  const capped = {
    name: 'Cap',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'pay_six' }],
    actions: [{ type: 'flag_for_review', config: { limit } }],
  };
  assertOk(await call('POST', '/policies', capped));
  expect(await statusOf(agent, 'pay_six')).toBe('approved');
  expect(await post(agent, 'pay_six')).toMatchObject({ status: 'flagged' });
  assertOk(await call('POST', '/halts', { scope: 'agent', target: agent.id, state: 'watched' }));
  expect(await statusOf(agent, 'pay_six')).toBe('flagged');
  expect(await verify()).toMatchObject({ verified: true });
});
