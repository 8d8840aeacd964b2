// Indexes and data migrations: run once, before serving, by one of the instances that start together.
import type { Connection, Model } from 'mongoose';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { Clock } from '../clock.ts';
import type { Leases } from '../jobs/leases.ts';

/** A change of stored data. Ids are for ever: one that ran is not run again. */
export interface Migration {
  id: string;
  run(connection: Connection): Promise<void>;
}

interface Deps {
  connection: Connection;
  models: readonly Model<never>[];
  migrations: readonly Migration[];
  leases: Leases;
  clock: Clock;
  wait: (ms: number) => Promise<void>;
  log: (line: string) => void;
}

const LEASE = 'migrations';
const LEASE_MS = 60_000;
const POLL_MS = 200;

/** Resolves when every index is built and every migration has run, here or on another instance. */
export async function migrate({
  connection,
  models,
  migrations,
  leases,
  clock,
  wait,
  log,
}: Deps): Promise<void> {
  const done = connection
    .getClient()
    .db(connection.name)
    .collection<{ _id: string; at: Date }>('migrations');
  const steps: Migration[] = [
    { id: `indexes:${indexDigest(models)}`, run: () => buildIndexes(models) },
    ...migrations,
  ];

  async function open(): Promise<Migration[]> {
    const finished = await done.find({ _id: { $in: steps.map(({ id }) => id) } }).toArray();
    return steps.filter(({ id }) => !finished.some(({ _id }) => _id === id));
  }

  async function run(): Promise<void> {
    // Asked again by the holder: whoever held the lease before may have run them.
    for (const step of await open()) {
      log(`migration ${step.id}`);
      await step.run(connection);
      await done.insertOne({ _id: step.id, at: clock.now() });
    }
  }

  while ((await open()).length > 0) {
    const ours = await leases.hold(LEASE, LEASE_MS, run).finally(() => leases.release(LEASE));
    if (!ours) await wait(POLL_MS);
  }
}

async function buildIndexes(models: readonly Model<never>[]): Promise<void> {
  for (const model of models) await model.createIndexes();
}

/** Changes whenever a schema declares other indexes. */
function indexDigest(models: readonly Model<never>[]): string {
  const declared = models.map((model) => [model.collection.collectionName, model.schema.indexes()]);
  return sha256Hex(JSON.stringify(declared)).slice(0, 16);
}
