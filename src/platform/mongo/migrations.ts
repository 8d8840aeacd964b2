// Builds indexes and runs data migrations, each once, on one of the instances that start together.
import type { Connection, Model, mongo } from 'mongoose';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { Clock } from '../clock.ts';
import type { Leases } from '../jobs/leases.ts';

/** A change of stored data. It runs once; its id never changes. */
export interface Migration {
  id: string;
  run(connection: Connection): Promise<void>;
}

interface MigrationDeps {
  connection: Connection;
  models: readonly Model<never>[];
  migrations: readonly Migration[];
  leases: Leases;
  clock: Clock;
  wait: (ms: number) => Promise<void>;
  log: (line: string) => void;
}

interface MigrationDocument {
  _id: string;
  at: Date;
}

const LEASE = 'migrations';
const LEASE_MS = 60_000;
const POLL_MS = 200;

/** Resolves when all indexes are built and all migrations have run, here or on another instance. */
export async function migrate(deps: MigrationDeps): Promise<void> {
  const { wait } = deps;
  const steps: Migration[] = [
    { id: `indexes:${indexDigest(deps.models)}`, run: () => buildIndexes(deps.models) },
    ...deps.migrations,
  ];
  const done = collectionOf(deps.connection);
  while ((await pendingOf(done, steps)).length > 0) {
    if (!(await runLeased(done, steps, deps))) await wait(POLL_MS);
  }
}

function collectionOf(connection: Connection): mongo.Collection<MigrationDocument> {
  return connection.getClient().db(connection.name).collection('migrations');
}

async function pendingOf(
  done: mongo.Collection<MigrationDocument>,
  steps: readonly Migration[],
): Promise<Migration[]> {
  const finished = await done.find({ _id: { $in: steps.map(({ id }) => id) } }).toArray();
  return steps.filter(({ id }) => !finished.some(({ _id }) => _id === id));
}

/** False when another instance holds the lease. */
async function runLeased(
  done: mongo.Collection<MigrationDocument>,
  steps: readonly Migration[],
  deps: MigrationDeps,
): Promise<boolean> {
  try {
    return await deps.leases.hold(LEASE, LEASE_MS, () => runPending(done, steps, deps));
  } finally {
    await deps.leases.release(LEASE);
  }
}

/** Reads the pending steps once more: the previous holder of the lease may have run them. */
async function runPending(
  done: mongo.Collection<MigrationDocument>,
  steps: readonly Migration[],
  { connection, clock, log }: MigrationDeps,
): Promise<void> {
  for (const step of await pendingOf(done, steps)) {
    log(`migration ${step.id}`);
    await step.run(connection);
    await done.insertOne({ _id: step.id, at: clock.now() });
  }
}

/** One command a collection, where Mongoose would ask for one index at a time. */
async function buildIndexes(models: readonly Model<never>[]): Promise<void> {
  for (const model of models) {
    const declared = model.schema.indexes();
    const indexes = declared.map(([key, options]) => Object.assign({ key }, options));
    if (indexes.length > 0)
      await model.collection.createIndexes(indexes as mongo.IndexDescription[]);
  }
}

/** Changes with the indexes that the schemas declare. */
function indexDigest(models: readonly Model<never>[]): string {
  const declared = models.map((model) => [model.collection.collectionName, model.schema.indexes()]);
  return sha256Hex(JSON.stringify(declared)).slice(0, 16);
}
