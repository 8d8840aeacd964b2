// The database of a worker thread, which has a client of its own.
import type { Connection } from 'mongoose';
import { type KeyStoreAccess, openKeyStore } from '../key-store/open-key-store.ts';
import type { KeyStore } from '../key-store/key-store.ts';
import { connectMongo } from '../mongo/connection.ts';

/** What a thread needs to open the database and its key store itself. */
export interface DatabaseAccess {
  /** Connection string. */
  uri: string;
  /** Name of the database. */
  database: string;
  keyStore: KeyStoreAccess;
}

/** `poolSize`: connections at a time. */
export async function openThreadDatabase(
  { uri, database, keyStore: access }: DatabaseAccess,
  poolSize: number,
): Promise<{ connection: Connection; keyStore: KeyStore }> {
  const { connection } = await connectMongo({ uri, poolSize });
  const { keyStore } = await openKeyStore(access, { connection, database });
  return { connection: connection.useDb(database), keyStore };
}
