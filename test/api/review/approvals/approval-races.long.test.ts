// A thousand votes at once over two instances: each person counts once on each decision, and one vote ends it.
// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyBundle } from '@assay/verifier';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../../setup/personas.ts';
import { startApp, type TestApp } from '../../../setup/start-app.ts';

const DECISIONS = 100;
const NEEDED = 3;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let other: TestApp;

beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
});
afterAll(() => other.stop());

interface Held {
  reviewId: string;
  traceId: string;
}

async function holdAll(): Promise<Held[]> {
  const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: 'pay' }];
  const config = { approvals: { steps: [{ count: NEEDED }] } };
  const policy = { name: 'Pay', conditions, actions: [{ type: 'flag_for_review', config }] };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  const { key } = await createWorkspaceKey(app, ada);
  return Promise.all(
    Array.from({ length: DECISIONS }, async (_, amount) => {
      const body = buildDecision('till', { outputDecision: { action: { tool: 'pay', amount } } });
      return assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body.data as Held;
    }),
  );
}

test('each person counts once on each decision, and one vote ends it', async () => {
  const people = [ada];
  for (let at = 0; at < 4; at++) people.push(await createMember(harness, ada, 'reviewer'));
  const held = await holdAll();
  const votes = held.flatMap(({ reviewId }) =>
    [app, other].flatMap((instance) =>
      people.map(({ token }) => ({
        instance,
        path: `/api/v1/review-queue/${reviewId}/decision`,
        token,
      })),
    ),
  );
  const body = { decision: 'approve' };
  const answers = await Promise.all(
    votes.map(({ instance, path, token }) => instance.call('POST', path, { token, body })),
  );
  const counts = (status: number): number =>
    answers.filter((answer) => answer.status === status).length;
  // Eight attempts to append may all come second: then the answer is 409, and nothing was appended.
  expect(counts(200) + counts(400) + counts(409)).toBe(votes.length);
  const ledger = harness.db.collection('ledger');
  let appended = 0;
  for (const { traceId } of held) {
    const entries = await ledger.find({ traceId, kind: { $ne: 'trace' } }).toArray();
    const voters = entries.map(
      ({ view }) => (JSON.parse(view as string) as { actor: { id: string } }).actor.id,
    );
    expect(new Set(voters).size).toBe(voters.length);
    expect(voters.length).toBeLessThanOrEqual(NEEDED);
    const ends = entries.filter(({ kind }) => kind === 'review');
    expect(ends).toHaveLength(voters.length === NEEDED ? 1 : 0);
    appended += voters.length;
  }
  expect(appended).toBe(counts(200));
  const { text } = await app.call('GET', '/api/v1/hash-chain/export?fromSequence=1', {
    token: ada.token,
  });
  async function* stream() {
    yield* text.trimEnd().split('\n');
  }
  const { problems } = await verifyBundle(stream());
  expect(problems.map(({ code }) => code)).toEqual(['not-vouched']);
});
