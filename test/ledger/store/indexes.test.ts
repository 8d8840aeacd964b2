// Every look-up of the ledger is served by its index: partial ones only when the query implies their filter.
import { beforeAll, expect, test } from 'vitest';
import { generateId } from '../../../src/platform/ids.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { createMongoStore } from '../../../src/ledger/append/mongo-store.ts';
import { readHeadSequences } from '../../../src/ledger/follow/head-sequences.ts';
import { buildHeadIndexes, createLedgerMaintenance } from '../../../src/ledger/maintenance.ts';
import { systemTimer } from '../../../src/platform/concurrency/timer.ts';
import { draft, RealChain } from './real-chain.ts';

const chain = new RealChain('indexes');
const organizations = [generateId(), generateId(), generateId()];
const organizationId = toObjectId(organizations[2] ?? '');
const keys = [1, 2].map((number) => Buffer.alloc(16, number));

interface Explained {
  queryPlanner: { winningPlan: Stage };
  executionStats: { totalKeysExamined: number };
}

interface Stage {
  stage: string;
  indexName?: string;
  inputStage?: Stage;
}

function stagesOf(plan: Stage): Stage[] {
  return plan.inputStage ? [plan, ...stagesOf(plan.inputStage)] : [plan];
}

beforeAll(async () => {
  const { appender } = chain.start();
  for (const [index, id] of organizations.entries()) {
    const numbers = Array.from({ length: 10 * (index + 1) }, (_, number) => number);
    await Promise.all(
      numbers.map((number) =>
        appender.append(draft(id, { idempotencyKey: Buffer.alloc(16, number) })),
      ),
    );
  }
});

test.each([
  ['chain', { organizationId, sequence: 3 }, {}],
  ['chain', { organizationId }, { sequence: -1 }],
  ['subject', { organizationId, traceId: 't' }, { sequence: -1 }],
  ['subject', { organizationId, traceId: 't', sequence: { $gt: 3, $lte: 9 } }, { sequence: 1 }],
] as const)('%s serves %o', async (name, filter, sort) => {
  const cursor = chain.db.collection('ledger').find(filter).sort(sort).limit(1);
  const { queryPlanner, executionStats } = (await cursor.explain('executionStats')) as Explained;
  const used = stagesOf(queryPlanner.winningPlan).map(({ indexName }) => indexName);
  expect(used).toContain(name);
  expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(4);
});

test('a replay is found by its key alone, however long the chain is', async () => {
  const { db } = chain;
  await db.command({ profile: 2 });
  const store = createMongoStore({ db, chain: DECISIONS, timer: systemTimer });
  expect(await store.findByIdempotencyKey(organizationId, keys)).toHaveLength(2);
  const [entry] = await chain.entries(organizationId.toHexString());
  expect(await store.findByIds(organizationId, [(entry as Stored)._id])).toHaveLength(1);
  await db.command({ profile: 0 });
  const queries = db
    .collection('system.profile')
    .find({ 'command.find': 'ledger', 'command.hint': { $exists: true } });
  const examined = (await queries.toArray()).map(({ keysExamined }) => keysExamined as number);
  expect(examined).toHaveLength(2);
  expect(Math.max(...examined)).toBeLessThanOrEqual(4);
});

test('expired keys are released without reading released entries again', async () => {
  const { connection, db } = chain;
  const start = Date.now();
  let hours = 30;
  const clock = { now: () => new Date(start + hours * 3_600_000) };
  const maintenance = createLedgerMaintenance({ connection, clock, chains: [DECISIONS] });
  const release = async () => {
    await db.command({ profile: 2 });
    await maintenance.releaseIdempotencyKeys();
    await db.command({ profile: 0 });
    const updates = db
      .collection('system.profile')
      .find({ op: 'update', ns: `${db.databaseName}.ledger` });
    const [newest] = await updates.sort({ ts: -1 }).limit(1).toArray();
    return { released: newest?.nModified as number, examined: newest?.docsExamined as number };
  };
  expect(await release()).toMatchObject({ released: 60 });
  hours += 1;
  expect(await release()).toEqual({ released: 0, examined: 0 });
});

test('the newest head row of an organisation is found at once', async () => {
  await buildHeadIndexes(chain.connection, [DECISIONS]);
  const rows = chain.db
    .collection('heads_ledger')
    .find({ organizationId })
    .sort({ sequence: -1 })
    .limit(1);
  const { queryPlanner } = (await rows.explain('queryPlanner')) as Explained;
  expect(stagesOf(queryPlanner.winningPlan).map(({ indexName }) => indexName)).toContain('newest');
});

test('the newest sequence of every organisation costs one index key each', async () => {
  const newest = await readHeadSequences(chain.db.collection('ledger'));
  expect(organizations.map((id) => newest.get(id))).toEqual([10, 20, 30]);
  const stages = [
    { $sort: { organizationId: -1, sequence: -1 } },
    { $group: { _id: '$organizationId', sequence: { $first: '$sequence' } } },
  ];
  const explained = await chain.db
    .collection('ledger')
    .aggregate(stages, { hint: 'chain' })
    .explain('executionStats');
  expect(JSON.stringify(explained)).toContain('DISTINCT_SCAN');
});
