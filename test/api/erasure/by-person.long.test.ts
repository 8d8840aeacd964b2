// Erasing thousands of decisions of one person, in lots, beside another organisation with as many.
// @module-tag long
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createWorkspaceKey, type Owner } from '../../setup/personas.ts';

const harness = useHarness({ ASSAY_LIMIT_SANDBOX: '1000000', ASSAY_ERASURE_MAX: '1000' });
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
const JANE = [{ type: 'user', id: 'jane' }];

const call = async (path: string, body: object, { token }: Owner) =>
  assertOk(await app.call('POST', `/api/v1/erasure/${path}`, { token, body })).body.data;

async function fill(who: Owner, count: number): Promise<void> {
  const { key } = await createWorkspaceKey(app, who);
  for (let from = 0; from < count; from += 100) {
    const decisions = Array.from({ length: 100 }, (_, at) =>
      buildDecision('bot', at % 2 === 0 ? { actor: JANE } : {}),
    );
    assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body: { decisions } }));
  }
}

const count = async ({ token }: Owner, query: string): Promise<number> =>
  assertOk(await app.call('GET', `/api/v1/traces?limit=1&${query}`, { token })).body.pagination
    .total;

test('each lot says how many are left, until none is', async () => {
  await Promise.all([fill(ada, 4_600), fill(eve, 3_000)]);
  await app.instance.runJobsOnce();
  const left: number[] = [];
  for (let lots = 0; lots < 3; lots++) {
    const about = { subjectId: 'jane', reason: 'She asked for it' };
    const { found, ...impact } = await call('acknowledge', about, ada);
    left.push(found.more);
    const { acknowledgementId, impactDigest } = impact;
    await call('execute', { acknowledgementId, impactDigest }, ada);
    await app.instance.runJobsOnce();
  }
  expect(left).toEqual([1_300, 300, 0]);
  expect(await count(ada, 'subjectId=jane')).toBe(0);
  expect(await count(eve, 'subjectId=jane')).toBe(1_500);
});
