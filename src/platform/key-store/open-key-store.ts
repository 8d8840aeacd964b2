// Opens the key store, in any thread: at its configured URI, or on the server of the data.
import type { Connection } from 'mongoose';
import { connectMongo } from '../mongo/connection.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { createVault } from '../secrets/vault.ts';
import { EpochKeys } from './epochs/epoch-keys.ts';
import { createEpochStore, type EpochStore } from './epochs/epoch-store.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';

/** Connection data of the key store; can be passed to a thread. */
export interface KeyStoreAccess {
  /** Connection string; null: a database on the server of the data. */
  uri: string | null;
  secrets: Pick<Secrets, 'encryptionKey' | 'formerEncryption'>;
  /** Memory of the epoch keys, which all threads share; absent: there are none. */
  epochMemory?: SharedArrayBuffer;
}

interface OpenKeyStore {
  keyStore: KeyStore;
  epochKeys: EpochKeys;
  epochStore: EpochStore;
  close(): Promise<void>;
}

const POOL_SIZE = 4;

export function toKeyStoreAccess(uri: string | undefined, secrets: Secrets): KeyStoreAccess {
  const { encryptionKey, formerEncryption } = secrets;
  return {
    uri: uri ?? null,
    secrets: { encryptionKey, formerEncryption },
    epochMemory: EpochKeys.allocateMemory(),
  };
}

/** @param beside the connection to the data, and the name of its database */
export async function openKeyStore(
  { uri, secrets, epochMemory = EpochKeys.allocateMemory() }: KeyStoreAccess,
  beside: { connection: Connection; database: string },
): Promise<OpenKeyStore> {
  const { encryptionKey: key, formerEncryption: formerKeys } = secrets;
  const vault = createVault({ key, formerKeys });
  const epochKeys = new EpochKeys(epochMemory);
  const own = uri === null ? null : await connectMongo({ uri, poolSize: POOL_SIZE });
  const client = (own ?? beside).connection.getClient();
  const database = own ? own.connection.name : `${beside.database}-keys`;
  const parts = { client, database, vault, epochKeys };
  return {
    keyStore: createKeyStore(parts),
    epochKeys,
    epochStore: createEpochStore(parts),
    close: own ? own.close : async () => {},
  };
}
