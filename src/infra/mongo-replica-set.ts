// Makes a fresh or moved mongod the primary of a replica set of one, which transactions and change streams need.
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';

type Admin = mongoose.mongo.Db;

/** What the embedded database has to know of the mongod it has started. */
export interface ReplicaSetOfOne {
  name: string;
  port: number;
}

/**
 * Initiates the set, or points an existing one at a new port, and waits until writes are possible.
 * @returns the data's format (featureCompatibilityVersion), like `6.0`.
 * @throws MongoServerError, or MongoServerSelectionError when nothing answers within ten seconds.
 */
export async function ensureReplicaSetOfOne({ name, port }: ReplicaSetOfOne): Promise<string> {
  const host = `127.0.0.1:${port}`;
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: 10_000,
    maxPoolSize: 1,
  });
  try {
    const admin = client.db('admin');
    await configure(admin, name, host);
    while ((await admin.command({ hello: 1 })).isWritablePrimary !== true) await sleep(5);
    const format = await admin.command({ getParameter: 1, featureCompatibilityVersion: 1 });
    return String(format.featureCompatibilityVersion.version);
  } finally {
    await client.close();
  }
}

async function configure(admin: Admin, name: string, host: string): Promise<void> {
  const hello = await admin.command({ hello: 1 });
  if (hello.isreplicaset === true) {
    await admin.command({ replSetInitiate: { _id: name, members: [{ _id: 0, host }] } });
    return;
  }
  const { config } = await admin.command({ replSetGetConfig: 1 });
  if (config.members[0].host === host) return;
  // The only member does not find itself under the old address, so there is no primary to ask: hence `force`.
  const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], host }] };
  await admin.command({ replSetReconfig: moved, force: true });
}
