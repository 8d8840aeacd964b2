// On whose behalf agents without keys act: chains that the service verified, seals, and only lets narrow.
// @module-tag long
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Pin, readPin, verifyBundle } from '@assay/verifier';
import { createMember } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createOwner } from '../../../setup/personas.ts';
import { createSsoOrganization } from '../../../setup/providers/sso.ts';
import { toOutcome } from '../../../setup/start-app.ts';
import { ACCESS, ASSAY, JWT, SUBJECT, toExchanged, useTrustStage } from './trust-stage.ts';

const stage = useTrustStage();
const { app, harness, ada, clock, provider } = stage;
const { claim, createTrustingAgent, exchange, run } = stage;

type At = Awaited<ReturnType<typeof createTrustingAgent>>;

/** Exchanges for a workload that acts on behalf of another. */
const actFor = (at: At, subject: string, more: Record<string, string> = {}) =>
  exchange({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: at.agent.id,
    subject_token: subject,
    subject_token_type: ACCESS,
    actor_token: at.realm.sign(claim(at.realm)),
    actor_token_type: JWT,
    ...more,
  });

const post = (key: string, at: At, more: object = {}) =>
  app.call('POST', '/api/v1/traces', { key, body: buildDecision(at.agent.id, more) });

const read = async (traceId: string) =>
  assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token })).body.data;

const callTool = (tool: string) => ({
  outputDecision: { action: { tool, arguments: { order: 'SO-1' } }, rationale: 'As asked.' },
});

test('a user, an agent and the next agent: the chain is sealed with each decision, the nearest first', async () => {
  const [first, second] = [await createTrustingAgent(), await createTrustingAgent()];
  const behalf = assertOk(await actFor(first, ada.token)).body.access_token as string;
  const passed = assertOk(await actFor(second, behalf)).body.access_token as string;
  const { traceId } = assertOk(await post(passed, second)).body.data;
  const chain = [
    { type: 'agent', id: first.agent.id, issuer: ASSAY },
    { type: 'user', id: ada.userId, issuer: ASSAY },
  ];
  expect((await read(traceId)).principal).toEqual({
    chain,
    workload: { issuer: second.realm.issuer, subject: SUBJECT },
    trust: second.trustId,
    grant: null,
    tokenDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  // What the caller says must be the same, or it says nothing.
  assertOk(await post(passed, second, { actor: chain }));
  const other = await post(passed, second, { actor: chain.toReversed() });
  expect(toOutcome(other)).toEqual([403, 'FORBIDDEN']);
  const text = 'long '.repeat(9_000);
  const inputContext = { prompt: text, systemPrompt: text, context: { text } };
  const large = { inputContext, actor: chain.slice(1) };
  expect(toOutcome(await post(passed, second, large))).toEqual([403, 'FORBIDDEN']);
  const newest = assertOk(await post(passed, second, { ...large, actor: chain })).body;
  const bundle = await app.call('GET', '/api/v1/hash-chain/export?fromSequence=1', {
    token: ada.token,
  });
  const lines = bundle.text.split('\n').filter((line) => line !== '');
  const report = await verifyBundle(Readable.from(lines), { pins: [readPin(newest) as Pin] });
  expect([report.verdict, report.problems]).toEqual(['intact', []]);
});

test('policies see whether a user stands behind the agent', async () => {
  const owner = await createOwner(app);
  const own = await createTrustingAgent({}, owner);
  const conditions = [{ field: 'principal.human', operator: 'equals', value: false }];
  const policy = { name: 'Only for people', conditions, actions: [{ type: 'block' }], priority: 1 };
  assertOk(await app.call('POST', '/api/v1/policies', { token: owner.token, body: policy }));
  const alone = await run(own);
  expect(toOutcome(await post(alone, own))).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  expect(toOutcome(await post(own.agent.key, own))).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  const behalf = assertOk(await actFor(own, owner.token)).body.access_token as string;
  assertOk(await post(behalf, own));
});

test('a grant blocks what it does not name, and only narrows on the way', async () => {
  const wide = await createTrustingAgent({
    grant: { tools: ['search', 'issue_refund'], depth: 1 },
  });
  const next = await createTrustingAgent();
  const key = await run(wide);
  assertOk(await post(key, wide, callTool('issueRefund')));
  const blocked = await post(key, wide, callTool('delete_user'));
  expect(toOutcome(blocked)).toEqual([403, 'SVC_BLOCKED_BY_POLICY']);
  expect(blocked.body.data).toMatchObject({
    tags: expect.arrayContaining(['OUTSIDE_GRANT']),
    matchedPolicy: { name: 'Grant', reason: expect.stringContaining('delete_user') },
  });
  const nameless = { outputDecision: { action: { arguments: {} }, rationale: 'None.' } };
  expect(toOutcome(await post(key, wide, nameless))[0]).toBe(403);
  const narrowed = (grant: object) => actFor(next, key, { grant: JSON.stringify(grant) });
  for (const grant of [
    { tools: ['search', 'delete_user'], depth: 0 },
    { tools: ['search'] },
    { tools: ['search'], depth: 1 },
    { depth: 0 },
  ])
    expect(toExchanged(await narrowed(grant))).toEqual([400, 'invalid_scope']);
  const child = assertOk(await narrowed({ tools: ['search'], depth: 0 })).body.access_token;
  assertOk(await post(child, next, callTool('search')));
  expect(toOutcome(await post(child, next, callTool('issue_refund')))[0]).toBe(403);
  expect(toExchanged(await actFor(wide, child))).toEqual([400, 'invalid_scope']);
});

test('a run token ends with its grant, and with the one it was made of', async () => {
  const at = await createTrustingAgent();
  const soon = new Date(clock.now().getTime() + 60_000).toISOString();
  const answer = await actFor(at, ada.token, { grant: JSON.stringify({ until: soon }) });
  const { access_token: key, expires_in: seconds } = assertOk(answer).body;
  expect(seconds).toBeLessThanOrEqual(60);
  const next = await createTrustingAgent();
  const passed = assertOk(await actFor(next, key)).body;
  expect(passed.expires_in).toBeLessThanOrEqual(60);
  clock.aheadMs += 61_000;
  expect(toOutcome(await post(passed.access_token, next))).toEqual([401, 'TOKEN_EXPIRED']);
  expect(toExchanged(await actFor(next, key))).toEqual([400, 'invalid_request']);
  const past = await actFor(at, ada.token, { grant: JSON.stringify({ until: soon }) });
  expect(toExchanged(past)).toEqual([400, 'invalid_scope']);
});

test('a chain has ten members at most', async () => {
  const at = await createTrustingAgent();
  let key = assertOk(await actFor(at, ada.token)).body.access_token as string;
  for (let length = 2; length <= 10; length += 1)
    key = assertOk(await actFor(at, key)).body.access_token as string;
  expect(toExchanged(await actFor(at, key))).toEqual([400, 'invalid_request']);
});

test('sessions and run tokens of other organisations, and ended ones, are refused as those on whose behalf', async () => {
  const at = await createTrustingAgent();
  const bob = await createOwner(app, 'Bob');
  const theirs = await createTrustingAgent({}, bob);
  const eve = await createMember(harness, ada, 'viewer');
  assertOk(await actFor(at, eve.token));
  assertOk(await app.call('POST', '/api/v1/auth/logout', { token: eve.token }));
  for (const subject of [bob.token, await run(theirs), eve.token, at.agent.key, 'x'])
    expect(toExchanged(await actFor(at, subject))).toEqual([400, 'invalid_request']);
});

test('a user of the organisation’s provider is known by its token for this service', async () => {
  const realm = provider.createRealm();
  const { owner } = await createSsoOrganization(harness, realm);
  const at = await createTrustingAgent({}, owner);
  const person = { sub: 'grace', jti: undefined };
  const token = realm.sign(claim(realm, person));
  const key = assertOk(await actFor(at, token, { subject_token_type: JWT })).body.access_token;
  const { traceId } = assertOk(await post(key, at)).body.data;
  const { token: by } = owner;
  const shown = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token: by }));
  const user = { type: 'user', id: 'grace', issuer: realm.issuer };
  expect(shown.body.data.principal.chain).toEqual([user]);
  const elsewhere = realm.sign(claim(realm, { ...person, aud: 'https://other.example' }));
  expect(toExchanged(await actFor(at, elsewhere))).toEqual([400, 'invalid_request']);
});

test('whom a decision was made for does not approve it', async () => {
  const owner = await createOwner(app);
  const at = await createTrustingAgent({}, owner);
  const policy = {
    name: 'Hold',
    conditions: [],
    actions: [{ type: 'flag_for_review' }],
    priority: 1,
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: owner.token, body: policy }));
  const reviewer = await createMember(harness, owner, 'reviewer');
  const key = assertOk(await actFor(at, reviewer.token)).body.access_token;
  const { reviewId } = assertOk(await post(key, at)).body.data;
  const decide = (token: string) =>
    app.call('POST', `/api/v1/review-queue/${reviewId}/decision`, {
      token,
      body: { decision: 'approve' },
    });
  expect(toOutcome(await decide(reviewer.token))).toEqual([403, 'FORBIDDEN']);
  assertOk(await decide(owner.token));
});

test('a workspace may take run tokens alone', async () => {
  const owner = await createOwner(app);
  const at = await createTrustingAgent({}, owner);
  const { token } = owner;
  const [workspace] = assertOk(await app.call('GET', '/api/v1/workspaces', { token })).body.data;
  const change = (keys: string) =>
    app.call('PATCH', `/api/v1/workspaces/${workspace._id}`, { token, body: { keys } });
  expect(workspace.keys).toBe('any');
  assertOk(await change('workload'));
  const refused = await post(at.agent.key, at);
  expect(toOutcome(refused)).toEqual([403, 'FORBIDDEN']);
  assertOk(await post(await run(at), at));
  assertOk(await change('any'));
  assertOk(await post(at.agent.key, at));
});
