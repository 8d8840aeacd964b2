// A halt that root hides in the database: nothing is sealed behind it, or both verifications name the act.
import { verifyBundle } from '@assay/verifier';
import { expect, test } from 'vitest';
import { useHarness } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, createOwner } from '../../setup/personas.ts';
import { startApp, type TestApp } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split('\n');
}

test.each([
  ['agent', ({ id }: { id: string }) => id],
  ['session', (_till: unknown, traceId: string) => traceId],
] as const)('root who hides a halt of the scope %s is found', async (scope, toTarget) => {
  const eve = await createOwner(app, 'Root');
  const till = await createAgent(app, eve);
  const body = (): object => buildDecision(till.id, { sessionId: 's-1' });
  const first = await app.call('POST', '/api/v1/traces', { key: till.key, body: body() });
  const { traceId: of } = assertOk(first).body.data;
  const halting = { scope, target: toTarget(till, of) };
  const halted = await app.call('POST', '/api/v1/halts', { token: eve.token, body: halting });
  const { hashChain, target } = assertOk(halted).body.data;
  const ledger = harness.db.collection('ledger');
  const row = { organizationId: toObjectId(eve.organizationId), sequence: hashChain.sequence };
  const traceId = `halt:${scope}:${target}`;
  const check = async () =>
    assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: eve.token })).body.data;
  const postTo = (on: TestApp) =>
    on.call('POST', '/api/v1/traces', { key: till.key, body: body() });
  await ledger.updateOne(row, { $set: { traceId: 'hidden' } });
  const blind = await startApp({}, { mongoUri: harness.mongoUri });
  expect((await postTo(blind)).status).toBe(503);
  await blind.stop();
  await ledger.updateOne(row, { $unset: { control: 1 } });
  const fooled = await startApp({}, { mongoUri: harness.mongoUri });
  const act = assertOk(await postTo(fooled)).body.data.hashChain.sequence;
  await fooled.stop();
  await ledger.updateOne(row, { $set: { traceId } });
  expect((await check()).verified).toBe(false);
  const later = { ...row, sequence: { $gte: hashChain.sequence } };
  await ledger.updateMany(later, { $set: { control: hashChain.sequence } });
  const found = await check();
  expect(found.verified).toBe(false);
  expect(JSON.stringify(found)).toContain(`behind the halt at ${hashChain.sequence}`);
  expect(act).toBeGreaterThan(hashChain.sequence);
  const path = '/api/v1/hash-chain/export?fromSequence=1&disclose=session,sessionId';
  const { text } = assertOk(await app.call('GET', path, { token: eve.token }));
  const report = await verifyBundle(linesOf(text), {});
  expect(report).toMatchObject({
    verdict: 'tampered',
    problems: expect.arrayContaining([
      expect.objectContaining({ code: 'halt-mismatch', sequence: act }),
    ]),
  });
});
