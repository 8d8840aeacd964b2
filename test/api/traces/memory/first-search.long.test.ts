// The memory index starts with an organisation's first search; before that nothing is computed.
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { useHarness } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../../setup/personas.ts';
import { type Answer, toOutcome, startApp, type TestApp } from '../../../setup/start-app.ts';

const harness = useHarness({ ASSAY_MEMORY_INDEXING: 'auto' });
const resting = useHarness({ ASSAY_MEMORY_INDEXING: 'off' });
const { app } = harness;

interface Desk extends Owner {
  /** Ids in the order of ingestion. */
  traceIds: string[];
}
const ACTIONS = ['refund the customer', 'restart the server', 'cancel the booking'];

/** An owner whose agent has made three decisions. */
async function newDesk(name: string, { app: on } = harness): Promise<Desk> {
  const owner = await createOwner(on, name);
  const { key } = await createWorkspaceKey(on, owner);
  const traceIds: string[] = [];
  for (const action of ACTIONS) traceIds.push(await post(key, action, on));
  return Object.assign({}, owner, { traceIds });
}
async function post(key: string, action: string, on: TestApp): Promise<string> {
  const body = buildDecision('x', { outputDecision: { action } });
  return assertOk(await on.call('POST', '/api/v1/traces', { key, body })).body.data.traceId;
}
const search = ({ token }: Owner, on: TestApp = app): Promise<Answer> =>
  on.call('POST', '/api/v1/traces/memory', {
    token,
    body: { query: 'reboot the server', topK: 1 },
  });
async function found(who: Owner, on?: TestApp): Promise<{ behind: number; ids: string[] }> {
  const { behind, results } = assertOk(await search(who, on)).body.data;
  return { behind, ids: results.map(({ traceId }: { traceId: string }) => traceId) };
}
const vectorsOf = ({ organizationId }: Owner, { db } = harness): Promise<number> =>
  db.collection('trace_vectors').countDocuments({ organizationId: toObjectId(organizationId) });

let silent: Desk;
beforeAll(async () => {
  silent = await newDesk('Silent');
});

test('the first search finds nothing and says so; later ones find everything', async () => {
  const ada = await newDesk('Ada');
  await app.instance.runJobsOnce();
  expect(await vectorsOf(ada)).toBe(0);
  expect(app.instance.consumers.getLag()['trace-vectors:glove-6b-100d-40k-1']).toBe(0);
  expect(await found(ada)).toMatchObject({ behind: 3 });
  await app.instance.runJobsOnce();
  expect(await found(ada)).toEqual({ behind: 0, ids: [ada.traceIds[1]] });
  expect(await vectorsOf(ada)).toBe(3);
  expect(await vectorsOf(silent)).toBe(0);
});

test(
  'the first search starts the indexing, and concurrent first searches start it once',
  { tags: ['long'] },
  async () => {
    const bob = await newDesk('Bob');
    const answers = await Promise.all(Array.from({ length: 5 }, () => search(bob)));
    for (const answer of answers) expect(answer.status).toBe(200);
    await expect.poll(() => found(bob), { interval: 100 }).toMatchObject({ behind: 0 });
    expect(await vectorsOf(bob)).toBe(3);
    const uses = harness.db.collection('memory_uses');
    expect(await uses.countDocuments({ organizationId: toObjectId(bob.organizationId) })).toBe(1);
  },
);

test(
  'the first search is remembered across restarts and instances',
  { tags: ['long'] },
  async () => {
    const eve = await newDesk('Eve', resting);
    expect(await found(eve, resting.app)).toEqual({ behind: 3, ids: [] });
    await resting.app.instance.runJobsOnce();
    expect(await vectorsOf(eve, resting)).toBe(0);
    const next = await startApp({ ASSAY_MEMORY_INDEXING: 'auto' }, { mongoUri: resting.mongoUri });
    try {
      await next.instance.runJobsOnce();
      expect(await vectorsOf(eve, resting)).toBe(3);
      for (const on of [next, resting.app])
        expect(await found(eve, on)).toEqual({ behind: 0, ids: [eve.traceIds[1]] });
    } finally {
      await next.stop();
    }
  },
);

test('a search without the feature in the plan starts no indexing', async () => {
  const poor = await createOwner(app, 'Poor');
  const { key } = await createWorkspaceKey(app, poor);
  const setPlan = (plan: string) =>
    harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(poor.organizationId) }, { $set: { 'subscription.plan': plan } });
  await setPlan('sandbox');
  await post(key, 'restart the server', app);
  await app.instance.runJobsOnce();
  expect(toOutcome(await search(poor))).toEqual([403, 'UPGRADE_REQUIRED']);
  await setPlan('scale');
  await app.instance.runJobsOnce();
  expect(await vectorsOf(poor)).toBe(0);
});
