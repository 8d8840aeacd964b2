// Opens the key store, in any thread: at its configured URI, or on the server of the data.
import type { Connection } from 'mongoose';
import { connectMongo } from '../mongo/connection.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { createVault } from '../secrets/vault.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';

/** Connection data of the key store; can be passed to a thread. */
export interface KeyStoreAccess {
  /** Connection string; null: a database on the server of the data. */
  uri: string | null;
  secrets: Pick<Secrets, 'encryptionKey' | 'formerEncryption'>;
}

interface OpenKeyStore {
  keyStore: KeyStore;
  close(): Promise<void>;
}

const POOL_SIZE = 4;

export function toKeyStoreAccess(uri: string | undefined, secrets: Secrets): KeyStoreAccess {
  const { encryptionKey, formerEncryption } = secrets;
  return { uri: uri ?? null, secrets: { encryptionKey, formerEncryption } };
}

/** @param beside the connection to the data, and the name of its database */
export async function openKeyStore(
  { uri, secrets }: KeyStoreAccess,
  beside: { connection: Connection; database: string },
): Promise<OpenKeyStore> {
  const { encryptionKey: key, formerEncryption: formerKeys } = secrets;
  const vault = createVault({ key, formerKeys });
  if (uri === null) {
    const client = beside.connection.getClient();
    const database = `${beside.database}-keys`;
    return { keyStore: createKeyStore({ client, database, vault }), close: async () => {} };
  }
  const { connection, close } = await connectMongo({ uri, poolSize: POOL_SIZE });
  const client = connection.getClient();
  return { keyStore: createKeyStore({ client, database: connection.name, vault }), close };
}
