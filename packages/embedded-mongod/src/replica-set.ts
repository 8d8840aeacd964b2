// Initiates a replica set of one member, which transactions and change streams need, and changes its address.
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { type DatabaseUser, withMongod } from './database-user.ts';

type Admin = mongoose.mongo.Db;

/** Both say that the set is initiated: a user is only ever created after that. */
const INITIATED = new Set(['AlreadyInitialized', 'Unauthorized']);

/** A replica set whose only member listens on a loopback port. */
export interface ReplicaSetOfOne {
  name: string;
  port: number;
  /** Whether a majority write is acknowledged only when it is in the journal; default: it is. */
  waitsForJournal?: boolean | undefined;
}

const TIMEOUT_MS = 20_000;

/**
 * Initiates the set if necessary and waits until it accepts writes.
 * @throws MongoServerError, MongoServerSelectionError, or Error when there is no primary within 20 s
 */
export async function ensureReplicaSetOfOne(set: ReplicaSetOfOne): Promise<void> {
  const { port } = set;
  await withMongod(port, async (client) => {
    const admin = client.db('admin');
    const until = performance.now() + TIMEOUT_MS;
    for (;;) {
      const hello = await admin.command({ hello: 1 });
      if (hello.isWritablePrimary === true) break;
      if (performance.now() > until)
        throw new Error(`mongod on port ${port} has not become primary`);
      if (hello.isreplicaset === true) await initReplicaSet(admin, set);
      await sleep(5);
    }
  });
}

/** The data's featureCompatibilityVersion, like `6.0`. */
export async function readFormat(port: number, user?: DatabaseUser): Promise<string> {
  return withMongod(
    port,
    async (client) => {
      const admin = client.db('admin');
      const answer = await admin.command({ getParameter: 1, featureCompatibilityVersion: 1 });
      return String(answer.featureCompatibilityVersion.version);
    },
    user,
  );
}

/**
 * Changes the member's port, on a mongod started without `--replSet` (MongoDB manual, "Change Hostnames in a Replica Set").
 * A forced reconfiguration of a running set would wait 30 s for whatever answers at the old address.
 */
export async function moveReplicaSetOfOne({ name, port }: ReplicaSetOfOne): Promise<void> {
  await withMongod(port, (client) =>
    client
      .db('local')
      .collection<{ _id: string }>('system.replset')
      .updateOne({ _id: name }, { $set: { 'members.0.host': `127.0.0.1:${port}` } }),
  );
}

/** mongod answers before it has read a stored configuration, so the set may turn out to be initiated. */
async function initReplicaSet(
  admin: Admin,
  { name, port, waitsForJournal = true }: ReplicaSetOfOne,
): Promise<void> {
  try {
    await admin.command({
      replSetInitiate: {
        _id: name,
        members: [{ _id: 0, host: `127.0.0.1:${port}` }],
        writeConcernMajorityJournalDefault: waitsForJournal,
      },
    });
  } catch (error) {
    const isInitiated =
      error instanceof mongoose.mongo.MongoServerError && INITIATED.has(String(error.codeName));
    if (!isInitiated) throw error;
  }
}
