// Lists by who decided and by how long it waits; and what an erasure takes from every index.
import { expect, test } from 'vitest';
import { expireDueReviews } from '../../../../src/decisions/traces/review/review-expiry.service.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../../setup/personas.ts';
import { MovedClock } from '../../../setup/second-factor.ts';
import { type Answer, startApp, toOutcome } from '../../../setup/start-app.ts';
import { useReviews } from '../../review-queue/review-queue-stage.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide } = useReviews(harness, ada);
const MINUTE = 60_000;

const get = (query: string, by = app): Promise<Answer> =>
  by.call('GET', `/api/v1/traces?${query}`, { token: ada.token });
/** The `traceId`s that are found, after all consumers have run. */
async function find(query: string, by = app): Promise<string[]> {
  await by.instance.consumers.runOnce();
  const { data, total } = assertOk(await get(query, by)).body;
  expect(total).toBe(data.length);
  const decider = new URLSearchParams(query).get('decidedBy');
  for (const { decidedBy } of decider === null ? [] : data) expect(decidedBy).toBe(decider);
  return (data as { traceId: string }[]).map(({ traceId }) => traceId).sort();
}
const write = async (path: string, body: object): Promise<Answer> =>
  assertOk(await app.call('POST', `/api/v1${path}`, { token: ada.token, body }));

test('the status of a decision comes from policies, from a person, or from neither', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const post = async (): Promise<string> =>
    assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('till') })).body
      .data.traceId;
  const [passed, corrected] = [await post(), await post()];
  const [waits, approved, rejected, lapsed, withdrawn, set] = [
    await hold(),
    await hold(),
    await hold(),
    await hold({ review: { expiresIn: 60 } }),
    await hold({}, key),
    await hold(),
  ];
  const held = [waits, approved, rejected, lapsed, withdrawn, set].map(({ traceId }) => traceId);
  expect(await find('decidedBy=undecided')).toEqual(held.toSorted());
  expect(await find('decidedBy=policy')).toEqual([passed, corrected].sort());
  expect(await find('decidedBy=person')).toEqual([]);

  assertOk(await decide(approved.id, { decision: 'approve' }));
  assertOk(await decide(rejected.id, { decision: 'reject', reason: 'No' }));
  assertOk(
    await app.call('POST', `/api/v1/traces/${withdrawn.traceId}/withdraw`, { key, body: {} }),
  );
  await write('/traces/bulk-status', { ids: [set.mongoId], status: 'escalated' });
  const feedback = { traceId: corrected, correctedDecision: { tool: 'wait' } };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body: feedback }));
  clock.aheadMs += 2 * MINUTE;
  await expireDueReviews(app.instance.platform);

  const person = [approved.traceId, rejected.traceId, set.traceId, corrected].sort();
  expect(await find('decidedBy=person')).toEqual(person);
  expect(await find('decidedBy=policy')).toEqual([passed, lapsed.traceId].sort());
  expect(await find('decidedBy=undecided')).toEqual([waits.traceId, withdrawn.traceId].sort());
  expect(await find('decidedBy=person&status=blocked')).toEqual([rejected.traceId]);
  expect(await find('decidedBy=person&tool=refund&minAmount=120')).toEqual(
    [approved.traceId, rejected.traceId, set.traceId].sort(),
  );
});

test('what waits for a time is found from then on, until it is decided', async () => {
  const { traceId, id } = await hold({ outputDecision: { action: { tool: 'refund', n: 'late' } } });
  expect(await find('heldSeconds=0&text=late')).toEqual([traceId]);
  expect(await find('heldSeconds=600&text=late')).toEqual([]);
  clock.aheadMs += 10 * MINUTE;
  expect(await find('heldSeconds=600&text=late')).toEqual([traceId]);
  expect(await find('heldSeconds=600')).toContain(traceId);
  expect(await find('heldSeconds=3600')).toEqual([]);
  assertOk(await decide(id, { decision: 'approve' }));
  expect(await find('heldSeconds=0&text=late')).toEqual([]);
});

test('a correction changes the words of an action, and leaves its tool and its amount', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const { traceId } = await hold({
    outputDecision: { action: { tool: 'refund', amount: 77_000, to: 'Zanzibar' } },
  });
  expect(await find('text=zanzibar')).toEqual([traceId]);
  const correctedDecision = { tool: 'wait', where: 'Samarkand' };
  const feedback = { traceId, correctedDecision };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body: feedback }));
  expect(await find('text=samarkand')).toEqual([traceId]);
  expect(await find('minAmount=77000&tool=refund')).toEqual([traceId]);
});

const FACETS = [
  'tool=erasable',
  'tool=eras*',
  'minAmount=88000',
  'text=ephemeral',
  'tag=PII_EMAIL',
];

test('an erased decision is found by nothing, here and in a copy that still has its terms', async () => {
  const made = await hold({
    inputContext: { prompt: 'Ask jo@example.com' },
    outputDecision: { action: { tool: 'erasable', amount: 88_000, note: 'ephemeral refund' } },
  });
  const { traceId } = made;
  for (const query of FACETS) expect([query, await find(query)]).toEqual([query, [traceId]]);
  const { db } = harness;
  const organizationId = toObjectId(ada.organizationId);
  const stores = ['word_segments', 'facet_segments'].map((name) => db.collection(name));
  const before = await Promise.all(stores.map((store) => store.find({ organizationId }).toArray()));
  const about = { traceIds: [traceId], reason: 'Asked for' };
  const { acknowledgementId, impactDigest } = (await write('/erasure/acknowledge', about)).body
    .data;
  await write('/erasure/execute', { acknowledgementId, impactDigest });
  for (const query of FACETS) expect([query, await find(query)]).toEqual([query, []]);
  const { copies } = assertOk(
    await app.call('GET', `/api/v1/erasure/${acknowledgementId}`, { token: ada.token }),
  ).body.data;
  expect(copies.searchWords).toBe(0);

  for (const [at, store] of stores.entries()) {
    await store.deleteMany({ organizationId });
    await store.insertMany(before[at] ?? []);
  }
  const restored = await app.call('GET', `/api/v1/erasure/${acknowledgementId}`, {
    token: ada.token,
  });
  expect(assertOk(restored).body.data.copies.searchWords).toBe(1);
  // A copy of before knows nothing of the erasure but that the key is gone.
  await db
    .collection('ledger')
    .updateOne({ traceId, kind: 'trace' }, { $set: { deletedAt: null } });
  for (const query of FACETS)
    expect([query, assertOk(await get(query)).body.total]).toEqual([query, 0]);
});

test('hostile decisions are taken, found and erased like others', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const long = 'ü'.repeat(3_000);
  const members = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`m${at}`, at]));
  const actions = [
    long,
    { tool: 'ü'.repeat(300), args: members },
    { tool: ' *** ', amount: 'as agreed' },
    { tool: 'deep', args: JSON.parse('['.repeat(20) + ']'.repeat(20)) },
    { name: 'words', text: Array.from({ length: 900 }, (_, at) => `w${at}`).join(' ') },
  ];
  const toolCalls = Array.from({ length: 50 }, (_, at) => ({ name: `call${at}${long}`, at }));
  for (const action of actions) {
    const body = buildDecision('till', { outputDecision: { action, toolCalls } });
    assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  }
  expect(await find('tool=call49*')).toHaveLength(actions.length);
  expect(await find(`tool=${encodeURIComponent('ü'.repeat(200))}`)).toHaveLength(2);
  expect(await find(`tool=${encodeURIComponent('ü'.repeat(64))}*`)).toHaveLength(2);
  expect(await find('minAmount=1e300')).toHaveLength(1);
  expect(await find('text=w899')).toHaveLength(1);
});

test.each([
  'heldSeconds=-1',
  'heldSeconds=1.5',
  'heldSeconds=1e99',
  'heldSeconds=',
  'decidedBy=me',
  'decidedBy=',
])('%s: 400', async (query) => {
  expect(toOutcome(await get(query))).toEqual([400, 'VALIDATION_ERROR']);
});

test('decisions of an earlier version get facets', { tags: ['long'] }, async () => {
  const { traceId } = await hold({ outputDecision: { action: { tool: 'refund', n: 'earlier' } } });
  expect(await find('text=earlier')).toEqual([traceId]);
  const { db } = harness;
  await db.collection('facet_segments').deleteMany({});
  await db
    .collection<{ _id: string }>('migrations')
    .deleteOne({ _id: 'decision-facets-of-subjects' });
  expect(await find('tool=refund&text=earlier')).toEqual([]);
  const next = await startApp({}, { mongoUri: harness.mongoUri, clock });
  await next.instance.runJobsOnce();
  expect(await find('tool=refund&text=earlier', next)).toEqual([traceId]);
  expect(await find('decidedBy=undecided&text=earlier', next)).toEqual([traceId]);
  await next.stop();
});
