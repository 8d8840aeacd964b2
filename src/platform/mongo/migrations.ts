// Builds indexes and runs data migrations, each once, on one of the instances that start together.
import type { Connection, Model, mongo } from 'mongoose';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { Clock } from '../clock.ts';
import type { Leases } from '../jobs/leases.ts';
import type { KeyStore } from '../key-store/key-store.ts';
import { TRANSACTION } from './concerns.ts';

/** A change of stored data that runs once. Never change or remove an id: a version refuses a store with unknown ids. */
export interface Migration {
  id: string;
  /** Absent: stored data stays the same, but earlier versions cannot read what this version stores. */
  run?(connection: Connection, keyStore: KeyStore): Promise<void>;
  /**
   * It runs in one transaction with the note that it is done, by models alone. For what may be repeated only before
   * anything is served: an instance that was stopped on the way, and overtaken, changes nothing when it wakes.
   */
  isAtomic?: true;
}

interface MigrationDeps {
  connection: Connection;
  keyStore: KeyStore;
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

/** Prefix of the ids for index sets, of which every version has its own. */
const INDEXES = 'indexes:';
const LEASE = 'migrations';
/** Upper bound on unknown ids in the error message. */
const NAMED_MAX = 5;
const LEASE_MS = 60_000;
const POLL_MS = 200;
const NAMESPACE_NOT_FOUND = 26;

/**
 * Resolves when all indexes are built and all migrations have run, here or on another instance.
 * @throws Error with a readable message: a newer version has changed the store
 */
export async function migrate(deps: MigrationDeps): Promise<void> {
  const { wait } = deps;
  const steps: Migration[] = [
    { id: `${INDEXES}${indexDigest(deps.models)}`, run: () => buildIndexes(deps.models) },
    ...deps.migrations,
  ];
  const done = getCollection(deps.connection);
  await refuseNewer(done, steps);
  while ((await findPending(done, steps)).length > 0) {
    if (!(await runLeased(done, steps, deps))) await wait(POLL_MS);
  }
}

function getCollection(connection: Connection): mongo.Collection<MigrationDocument> {
  return connection.getClient().db(connection.name).collection('migrations');
}

async function refuseNewer(
  done: mongo.Collection<MigrationDocument>,
  steps: readonly Migration[],
): Promise<void> {
  const known = new Set(steps.map(({ id }) => id));
  const finished = await done.find({}, { projection: { _id: 1 } }).toArray();
  const newer = finished
    .map(({ _id }) => String(_id))
    .filter((id) => !known.has(id) && !id.startsWith(INDEXES));
  if (newer.length === 0) return;
  const named = newer.slice(0, NAMED_MAX).join(', ');
  throw new Error(
    `the database was changed by a newer version of Assay (${named}); start that version, or restore a copy of before its start`,
  );
}

async function findPending(
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
    return await deps.leases.runUnderLease(LEASE, LEASE_MS, () => runPending(done, steps, deps));
  } finally {
    await deps.leases.release(LEASE);
  }
}

/** Reads the pending steps once more: the previous holder of the lease may have run them. */
async function runPending(
  done: mongo.Collection<MigrationDocument>,
  steps: readonly Migration[],
  { connection, keyStore, clock, log }: MigrationDeps,
): Promise<void> {
  for (const step of await findPending(done, steps)) {
    log(`migration ${step.id}`);
    const run = async (session?: mongo.ClientSession): Promise<void> => {
      await step.run?.(connection, keyStore);
      await done.insertOne({ _id: step.id, at: clock.now() }, session && { session });
    };
    try {
      await (step.isAtomic ? connection.transaction(run, TRANSACTION) : run());
    } catch (error) {
      // Unless another instance has done it, which took this one for gone.
      if ((await findPending(done, [step])).length > 0) throw error;
    }
  }
}

/** Sends one command per collection; Mongoose would send one per index. */
async function buildIndexes(models: readonly Model<never>[]): Promise<void> {
  for (const model of models) {
    const declared = model.schema.indexes();
    const indexes = declared.map(([key, options]) =>
      Object.assign({ key }, options),
    ) as mongo.IndexDescription[];
    if (indexes.length === 0) continue;
    await dropChanged(model, indexes);
    await model.collection.createIndexes(indexes);
  }
}

/** Drops indexes of earlier versions that have the name of a current index but other keys. */
async function dropChanged(
  { collection }: Model<never>,
  declared: readonly mongo.IndexDescription[],
): Promise<void> {
  const keys = new Map(declared.map(({ name, key }) => [name, JSON.stringify(key)]));
  const stored = await collection.indexes().catch((error: unknown) => {
    if ((error as { code?: unknown }).code === NAMESPACE_NOT_FOUND) return [];
    throw error;
  });
  for (const { name, key } of stored)
    if (name !== undefined && keys.has(name) && keys.get(name) !== JSON.stringify(key))
      await collection.dropIndex(name);
}

/** A digest of all indexes that the schemas declare. */
function indexDigest(models: readonly Model<never>[]): string {
  const declared = models.map((model) => [model.collection.collectionName, model.schema.indexes()]);
  return sha256Hex(JSON.stringify(declared)).slice(0, 16);
}
