// What runs shows of each clause, over HTTP: from nothing to shown, apart by organisation, and never an attestation.
// @module-tag long
import { expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const bob = useOwner(harness, 'Bob');

const ask = (framework: string, token: string) =>
  app.call('GET', `/api/v1/compliance/proofs?framework=${framework}`, { token });
const read = async (framework = 'eu-ai-act', { token } = ada) =>
  assertOk(await ask(framework, token)).body.data;
interface Measured {
  measure: string;
  answer: string;
  finding: string;
  figures: object;
}
const measure = async (name: string, framework = 'eu-ai-act', owner = ada) => {
  const { measures } = await read(framework, owner);
  return (measures as Measured[]).find((one) => one.measure === name);
};
const answerTo = async (clauseId: string, framework = 'eu-ai-act') => {
  const { clauses } = await read(framework);
  return clauses.find((one: { clauseId: string }) => one.clauseId === clauseId);
};
const post = async (path: string, body: object) =>
  assertOk(await app.call('POST', path, { token: ada.token, body })).body.data;

test('a new organisation shows its audit log; what never happened is no gap', async () => {
  const proofs = await read();
  expect(proofs.clauses).toHaveLength(22);
  expect(proofs.summary.shown + proofs.summary.notShown + proofs.summary.cannotTell).toBe(22);
  expect(await answerTo('Art.14')).toEqual({
    clauseId: 'Art.14',
    answer: 'cannot-tell',
    measures: ['oversight', 'queue', 'stop'],
  });
  expect(await answerTo('Art.4')).toEqual({
    clauseId: 'Art.4',
    answer: 'cannot-tell',
    measures: [],
  });
  await app.instance.runJobsOnce();
  expect(await measure('audit')).toMatchObject({ answer: 'shown', source: '/audit' });
  expect(await measure('policies')).toMatchObject({ answer: 'not-shown' });
});

test('oversight, logging and stops are shown once they take place', async () => {
  const agent = await createAgent(app, ada, 'Cash');
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: 'refund' }];
  const actions = [{ type: 'flag_for_review' }];
  await post('/api/v1/policies', { name: 'Refunds', conditions, actions });
  const body = buildDecision(agent.id, { outputDecision: { action: { tool: 'refund' } } });
  const held = assertOk(await app.call('POST', '/api/v1/traces', { key: agent.key, body })).body
    .data;
  await app.instance.runJobsOnce();
  expect(await measure('oversight')).toMatchObject({
    answer: 'not-shown',
    figures: { held: 1, decided: 0 },
  });
  expect((await answerTo('Art.14')).answer).toBe('not-shown');
  await post(`/api/v1/review-queue/${held.reviewId}/decision`, { decision: 'approve' });
  await post('/api/v1/halts', { scope: 'agent', target: agent.id, state: 'halted', reason: 'x' });
  await app.instance.runJobsOnce();
  expect(await measure('oversight')).toMatchObject({ answer: 'shown', figures: { decided: 1 } });
  expect(await measure('stop')).toMatchObject({ answer: 'shown', figures: { all: 1, binding: 1 } });
  expect((await answerTo('Art.14')).answer).toBe('shown');
  expect((await measure('log'))?.answer).toBe('cannot-tell');
  await post('/api/v1/hash-chain/verify', {});
  expect(await measure('log')).toMatchObject({
    answer: 'shown',
    finding: expect.stringContaining('found it intact'),
    figures: { verifiedHoursAgo: 0 },
  });
  expect((await answerTo('Art.12')).answer).toBe('shown');
  expect(await measure('policies')).toMatchObject({ answer: 'shown', figures: { judging: 1 } });
  expect(await measure('agents')).toMatchObject({ answer: 'shown', figures: { registered: 1 } });
});

test('a broken chain is not shown', async () => {
  const organizationId = toObjectId(bob.organizationId);
  const result = { verifiedAt: new Date(), ok: false, totalChecked: 1 };
  await harness.db
    .collection('chain_verifications')
    .updateOne({ organizationId }, { $set: result }, { upsert: true });
  const key = await createAgent(app, bob, 'Till');
  assertOk(await app.call('POST', '/api/v1/traces', { key: key.key, body: buildDecision(key.id) }));
  await expect.poll(async () => (await measure('log', 'eu-ai-act', bob))?.answer).toBe('not-shown');
  expect((await measure('oversight', 'eu-ai-act', bob))?.answer).toBe('cannot-tell');
});

test('members: roles and second factors are counted', async () => {
  expect(await measure('roles', 'nist-rmf')).toMatchObject({ answer: 'cannot-tell' });
  const { token } = await createMember(harness, ada, 'viewer');
  expect(await measure('roles', 'nist-rmf')).toMatchObject({
    answer: 'shown',
    figures: { all: 2, managers: 1 },
  });
  expect(await measure('access', 'nist-rmf')).toMatchObject({ figures: { all: 2, secured: 0 } });
  const _id = toObjectId(ada.userId);
  await harness.db.collection('users').updateOne({ _id }, { $set: { 'mfa.enabled': true } });
  expect(await measure('access', 'nist-rmf')).toMatchObject({
    answer: 'not-shown',
    figures: { all: 2, secured: 1 },
  });
  expect(assertOk(await ask('iso-42001', token)).body.data.framework).toBe('iso-42001');
});

test('nothing is attested by it, and a workspace changes nothing', async () => {
  const { notes, coverage } = assertOk(
    await app.call('GET', '/api/v1/compliance/mapping?framework=eu-ai-act', { token: ada.token }),
  ).body.data;
  expect([notes, coverage.gap]).toEqual([[], 22]);
  const workspace = await post('/api/v1/workspaces', { name: 'Other' });
  const headers = { 'x-workspace-id': workspace.id };
  const answer = await app.call('GET', '/api/v1/compliance/proofs?framework=eu-ai-act', {
    token: ada.token,
    headers,
  });
  const decided = assertOk(answer).body.data.measures.find(
    (one: Measured) => one.measure === 'oversight',
  );
  expect(decided).toMatchObject({ answer: 'shown', figures: { decided: 1 } });
});

test('frameworks that there are not are refused', async () => {
  expect(toOutcome(await ask('iso-1', ada.token))).toEqual([400, 'VALIDATION_ERROR']);
});
