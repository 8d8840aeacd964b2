// A thousand uses at once over two instances: each is counted once, and none is let through beyond the number or after the end.
// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { useGrants } from './granting.ts';
import { assertOk } from '../../../setup/personas.ts';
import { startApp, type TestApp } from '../../../setup/start-app.ts';

const DECISIONS = 1_000;
const USES = 700;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { call, prepare, post, decide, read, verify, exportLines } = useGrants(harness, ada);
let other: TestApp;

beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
});
afterAll(() => other.stop());

type Agent = { name: string; key: string };

async function give(agent: Agent & { id: string }, tool: string, uses: number): Promise<string> {
  assertOk(await call('PATCH', `/agents/${agent.id}/policies`, { timeoutMs: 60_000 }));
  const { reviewId } = await post(agent, tool);
  const body = { decision: 'approve', grant: { expiresIn: 3600, uses } };
  return assertOk(await decide(reviewId, body)).body.data.grantId;
}

/** Posts on both instances at once. Decisions of one session take turns, so each has its own. */
const postAll = (agent: Agent, tool: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, at) => {
      const more = { sessionId: `session-${tool}-${at}` };
      return post(agent, tool, { amount: at }, { instance: at % 2 ? other : app, more });
    }),
  );

const countPassed = (answers: readonly { status: string }[]): number =>
  answers.filter(({ status }) => status === 'approved').length;

async function expectIntact(): Promise<void> {
  expect(await verify()).toMatchObject({ verified: true });
  const { problems } = await verifyBundle(exportLines());
  expect(problems.map(({ code }) => code)).toEqual(['not-vouched']);
}

test('a thousand decisions at once use exactly what was granted', async () => {
  const { agent } = await prepare('pay_race');
  const id = await give(agent, 'pay_race', USES);
  const answers = await postAll(agent, 'pay_race', DECISIONS);
  expect(countPassed(answers)).toBe(USES);
  expect(answers.filter(({ status }) => status === 'flagged')).toHaveLength(DECISIONS - USES);
  const entries = await harness.db
    .collection('ledger')
    .find({ 'spent.key': `grant:${id}`, kind: 'trace' })
    .sort({ sequence: 1 })
    .toArray();
  const sums = entries.map(({ spent }) =>
    Number((spent as { slots: string[][] }[])[0]?.slots[0]?.[1]),
  );
  expect(sums).toEqual(Array.from({ length: USES }, (_, at) => at + 1));
  await expectIntact();
});

test('no decision uses a grant behind its revocation, which comes among them', async () => {
  const { agent } = await prepare('pay_revoked');
  const id = await give(agent, 'pay_revoked', DECISIONS);
  const posting = postAll(agent, 'pay_revoked', 300);
  const revoked = call('DELETE', `/grants/${id}`, {});
  const answers = await posting;
  assertOk(await revoked);
  expect(await read(id)).toMatchObject({ status: 'revoked', used: countPassed(answers) });
  const [end] = await harness.db
    .collection('ledger')
    .find({ traceId: `grant:${id}` })
    .sort({ sequence: -1 })
    .toArray();
  const behind = await harness.db.collection('ledger').countDocuments({
    'spent.key': `grant:${id}`,
    sequence: { $gt: end?.['sequence'] as number },
  });
  expect(behind).toBe(0);
  await expectIntact();
});
