// Opens a copy of the key store, with all secrets and a custodian, as a restored backup or a thief of it would.
import { mongo } from 'mongoose';
import { toLeaf } from '../../../src/domain/keys/key-tree.ts';
import type { Custodian } from '../../../src/platform/custodian/custodian.ts';
import { createEpochFollower } from '../../../src/platform/key-store/epochs/epoch-follower.ts';
import { openKeyStore } from '../../../src/platform/key-store/open-key-store.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { SECRETS } from '../../setup/start-app.ts';

/** All that the database of the key store holds. */
export interface KeyStoreCopy {
  rows: mongo.Document[];
  epochs: mongo.Document[];
}

interface OpenCopy {
  /** The key of an entry; null: it was erased. Rejects when an epoch seals it whose key is gone. */
  readLeaf(organizationId: string, sequence: number): Promise<Buffer | null>;
  close(): Promise<void>;
}

/** Copies the key store beside a database. */
export async function copyKeyStore(uri: string): Promise<KeyStoreCopy> {
  const client = await new mongo.MongoClient(uri).connect();
  const database = client.db(`${client.options.dbName}-keys`);
  const rows = await database.collection('keys').find().toArray();
  const epochs = await database.collection('epochs').find().sort({ _id: 1 }).toArray();
  await client.close();
  return { rows, epochs };
}

export async function openCopy(
  { rows, epochs }: KeyStoreCopy,
  custodian: Custodian,
): Promise<OpenCopy> {
  const uri = createDatabaseUri();
  const client = await new mongo.MongoClient(uri).connect();
  const database = client.db();
  await database.collection('keys').insertMany(rows);
  await database.collection('epochs').insertMany(epochs);
  const { encryptionKey, formerEncryption } = SECRETS;
  const access = { uri, secrets: { encryptionKey, formerEncryption } };
  const opened = await openKeyStore(access, null as never);
  const announce = () => Promise.resolve();
  const follower = createEpochFollower({ ...opened, custodian, announce });
  // Without the key of the sealing epoch nothing can be read, which each reading shows.
  await follower.followEpochs().catch(() => undefined);
  return {
    async readLeaf(organizationId, sequence) {
      const leaf = toLeaf(sequence);
      const keys = await opened.keyStore.loadLeafKeys(organizationId, [leaf]);
      return keys.deriveKey(leaf);
    },
    async close() {
      await opened.close();
      await database.dropDatabase();
      await client.close();
    },
  };
}
