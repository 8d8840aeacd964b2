// The reads of a verification: each entry once in the chain and once in the history of its decision.
import { mongo } from 'mongoose';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { verifyChain } from '../../../src/ledger/verify/verify-chain.ts';
import { traceColumns } from '../../../src/decisions/traces/traces.columns.ts';
import { type ChainHarness, History, startChainHarness } from './hash-chain-history.ts';

const DECISION_COUNT = 4;

let harness: ChainHarness;
beforeAll(async () => {
  harness = await startChainHarness();
});
afterAll(() => harness.stop());

/** Documents that the database answers while a chain is verified. */
async function documentsRead({ organizationId }: History): Promise<number> {
  const uri = new URL(inject('mongoUri'));
  const client = await new mongo.MongoClient(uri.href, { monitorCommands: true }).connect();
  let read = 0;
  client.on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
    read += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
  });
  const { verified } = await verifyChain({
    db: client.db(harness.db.databaseName),
    chain: DECISIONS,
    columns: traceColumns,
    contents: harness.app.instance.platform.contents,
    organizationId,
    now: new Date(),
    reached: 0,
    erasedUntil: null,
    after: null,
  });
  await client.close();
  expect(verified).toBe(true);
  return read;
}

const inProportion = async (rounds: number): Promise<void> => {
  const history = await History.begin(harness, `Ruth${rounds}`);
  for (let i = 0; i < DECISION_COUNT; i++) await history.post();
  const places = Array.from({ length: DECISION_COUNT }, (_, i) => i);
  for (let round = 0; round < rounds; round++)
    await history.bulk('bulk-status', places, { status: round % 2 === 0 ? 'pending' : 'success' });
  const entries = (await history.stored()).length;
  expect(entries).toBe(DECISION_COUNT * (rounds + 1));
  // The replay, the index of histories, the histories; and what is noted of the chain.
  const read = await documentsRead(history);
  expect(read).toBeGreaterThan(2 * entries);
  expect(read).toBeLessThan(3 * entries + 20);
};

test('reads grow in proportion to some rounds of changes', { tags: ['long'] }, () =>
  inProportion(3),
);

test('reads grow in proportion to many rounds of changes', { tags: ['long'] }, () =>
  inProportion(12),
);
