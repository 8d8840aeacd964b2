// The memory index follows plan, feedback and deletion, whether it fits into memory or not.
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest';
import { createWordEmbedder } from '../../../../src/platform/embedding/word-embedder.ts';
import { toVectorName } from '../../../../src/decisions/traces/memory/trace-vectors.model.ts';
import { createMemoryWorker } from '../../../../src/decisions/traces/memory/memory-worker.ts';
import { createVectorIndex } from '../../../../src/decisions/traces/memory/vector-index.ts';
import { useHarness, useOwnHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../../setup/personas.ts';
import { type Answer, toOutcome } from '../../../setup/start-app.ts';

const resting = useOwnHarness();
const harness = useHarness({ ASSAY_MEMORY_INDEXING: 'on' });
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const call = (path: string, body: object, { token } = ada): Promise<Answer> =>
  app.call('POST', `/api/v1${path}`, { token, body });
async function post(prompt: string, action: string, by = key): Promise<string> {
  const body = buildDecision('x', { inputContext: { prompt }, outputDecision: { action } });
  return assertOk(await app.call('POST', '/api/v1/traces', { key: by, body })).body.data.traceId;
}
interface Found {
  traceId: string;
  _id: string;
  matchedText: string;
  score: number;
}
const found = async (query: string, who: Owner = ada): Promise<Found[]> =>
  assertOk(await call('/traces/memory', { query, topK: 5, minScore: 0.5 }, who)).body.data.results;
const idsOf = (results: readonly Found[]): string[] => results.map(({ traceId }) => traceId);
const rowsOf = ({ organizationId }: Owner) =>
  harness.db
    .collection('trace_vectors')
    .find({ organizationId: toObjectId(organizationId) })
    .sort({ sequence: 1 })
    .toArray();
const PARTS = ['question', 'answer'] as const;
const emptied = { question: null, answer: null };

test('an instance configured not to index writes nothing', async () => {
  const owner = await createOwner(resting.app, 'Rest');
  const { key: hers } = await createWorkspaceKey(resting.app, owner);
  const body = buildDecision('x');
  assertOk(await resting.app.call('POST', '/api/v1/traces', { key: hers, body }));
  await resting.app.instance.runJobsOnce();
  expect(await resting.db.collection('trace_vectors').countDocuments({})).toBe(0);
});

describe('follows the plan', () => {
  let poor: Owner;
  let poorKey: string;
  const setPlan = (plan: string) =>
    harness.db
      .collection('organizations')
      .updateOne({ _id: toObjectId(poor.organizationId) }, { $set: { 'subscription.plan': plan } });
  beforeAll(async () => {
    poor = await createOwner(app, 'Poor');
    ({ key: poorKey } = await createWorkspaceKey(app, poor));
    await setPlan('sandbox');
  });

  test('nothing is written without the feature, and everything once there is one', async () => {
    const first = await post('The elevator is stuck', 'call a lift technician', poorKey);
    await app.instance.runJobsOnce();
    const search = await call('/traces/memory', { query: 'lift' }, poor);
    expect(toOutcome(search)).toEqual([403, 'UPGRADE_REQUIRED']);
    expect(await rowsOf(poor)).toEqual([]);
    await setPlan('scale');
    await app.instance.runJobsOnce();
    expect(idsOf(await found('call a lift technician', poor))).toEqual([first]);
    expect(await rowsOf(poor)).toHaveLength(1);
  });

  test('erased decisions are removed also on a smaller plan', async () => {
    const [{ _id = '' } = {}] = await found('call a lift technician', poor);
    await setPlan('sandbox');
    assertOk(await call('/traces/bulk-delete', { ids: [_id] }, poor));
    await app.instance.runJobsOnce();
    expect(await rowsOf(poor)).toMatchObject([emptied]);
  });
});

test('after feedback the correction is found, and the replaced values no longer', async () => {
  const traceId = await post('Screen stays black', 'order pizza with mushrooms');
  await app.instance.runJobsOnce();
  expect(idsOf(await found('order pizza with mushrooms'))).toContain(traceId);
  const correctedDecision = 'replace the monitor';
  const body = { traceId, action: 'correct', correctedDecision };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body }));
  await app.instance.runJobsOnce();
  expect(idsOf(await found('order pizza with mushrooms'))).not.toContain(traceId);
  const [first] = await found('replace the display');
  expect(first).toMatchObject({ traceId });
  expect(first?.matchedText).toContain(correctedDecision);
  const rows = await rowsOf(ada);
  expect(rows.at(-1)).toMatchObject({ sequence: 1, changedAt: 2 });
});

test('purged decisions are removed, and are not found even before that', async () => {
  const eve = await createOwner(app, 'Eve');
  const { key: hers } = await createWorkspaceKey(app, eve);
  await post('I forgot my password', 'reset the password', hers);
  await app.instance.runJobsOnce();
  expect(await found('reset the password', eve)).toHaveLength(1);
  assertOk(await call('/traces/purge', { before: new Date().toISOString() }, eve));
  expect(await found('reset the password', eve)).toEqual([]);
  await app.instance.runJobsOnce();
  expect(await rowsOf(eve)).toMatchObject([emptied]);
});

test('repeated and late runs keep the newest state', async () => {
  const bob = await createOwner(app, 'Bob');
  const { key: his } = await createWorkspaceKey(app, bob);
  const traceId = await post('My parcel arrived broken', 'refund the customer', his);
  await app.instance.runJobsOnce();
  const { organizationId } = bob;
  const [{ _id = '' } = {}] = await found('refund the customer', bob);
  assertOk(await call('/traces/bulk-delete', { ids: [_id] }, bob));
  await app.instance.runJobsOnce();
  const memory = createMemoryWorker(app.instance.platform);
  const late = { traceId, sequence: 1, isErasure: false };
  await memory.store(organizationId, [late]);
  await memory.store(organizationId, [{ traceId, sequence: 2, isErasure: true }]);
  expect(await rowsOf(bob)).toMatchObject([{ sequence: 1, changedAt: 2, ...emptied }]);
});

test(
  'an organisation that does not fit into memory can be searched too',
  { tags: ['long'] },
  async () => {
    const { models, contents } = app.instance.platform;
    const embedder = createWordEmbedder();
    const { model } = embedder;
    const organizationId = ada.organizationId;
    // The first decision makes the key that vectors are locked with.
    await post('open the gate', 'open');
    const [query = new Int8Array()] = (await embedder.embed(['cancel the journey'])) as Int8Array[];
    const texts = ['cancel the trip', 'reboot the server', 'feed the cat', 'pay the invoice'];
    const vectors = await embedder.embed(texts);
    const rowAt = async (at: number) => {
      const sequence = 1000 + at;
      const place = { organizationId, sequence, generation: 0 };
      const vector = new Uint8Array((vectors[at % texts.length] as Int8Array).buffer);
      const [question, answer] = await Promise.all(
        PARTS.map((part) => contents.encryptPart(place, toVectorName(part, sequence), vector)),
      );
      const own = { sequence, changedAt: sequence, question, answer };
      return Object.assign({ organizationId, workspaceId: ada.workspaceId, model }, own);
    };
    const many = await Promise.all(Array.from({ length: 5000 }, (_, at) => rowAt(at)));
    await models.traceVectors.insertMany(many);
    const asked = { organizationId, workspaceId: ada.workspaceId, limit: 20, minScore: 0 };
    const inMemory = createVectorIndex({ models, embedder, contents, maxBytes: 64 << 20 });
    const passing = createVectorIndex({ models, embedder, contents, maxBytes: 1 << 20 });
    const expected = await inMemory.findNearest(query, asked);
    expect(expected).toHaveLength(20);
    expect(expected[0]?.score).toBeGreaterThan(0.6);
    expect(await passing.findNearest(query, asked)).toEqual(expected);
    expect(await inMemory.findNearest(query, asked)).toEqual(expected);
    const best = expected[0]?.id ?? 0;
    const gone = { changedAt: 9000, ...emptied };
    await models.traceVectors.updateOne({ organizationId, sequence: best }, { $set: gone });
    for (const index of [inMemory, passing]) {
      const ids = (await index.findNearest(query, asked)).map(({ id }) => id);
      expect(ids).not.toContain(best);
      expect(ids).toHaveLength(20);
    }
  },
);

test(
  'many searches at once, while decisions arrive, find each decision once',
  { tags: ['long'] },
  async () => {
    const zoe = await createOwner(app, 'Zoe');
    const { key: hers } = await createWorkspaceKey(app, zoe);
    const memory = createMemoryWorker(app.instance.platform);
    const { organizationId } = zoe;
    const question = { organizationId, workspaceId: null, query: 'pay the bill', limit: 50 };
    for (let round = 0; round < 5; round++) {
      await post(`Invoice of month ${'abcde'[round]}`, 'pay the bill', hers);
      await app.instance.consumers.runOnce();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => memory.find({ ...question, minScore: 0.9 })),
      );
      for (const answer of answers)
        expect(new Set(answer.map(({ id }) => id)).size).toBe(round + 1);
      for (const answer of answers) expect(answer).toHaveLength(round + 1);
    }
  },
);
