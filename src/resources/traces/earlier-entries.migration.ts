// Migrates decisions that earlier versions stored in clear, with columns for a text index, to locked contents.
import type { Connection } from 'mongoose';
import { lockEarlierContents } from '../../ledger/contents/lock-earlier.ts';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import { traceColumns } from './traces.columns.ts';

/** Idempotent. */
export function lockEarlierEntries(connection: Connection, keyStore: KeyStore): Promise<void> {
  return lockEarlierContents({ connection, keyStore, columns: traceColumns });
}
