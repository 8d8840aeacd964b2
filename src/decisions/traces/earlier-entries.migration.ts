// Migrates decisions that earlier versions stored otherwise: contents in clear, escalations with nothing for a reason.
import type { Connection } from 'mongoose';
import { lockMissingReasons } from '../../ledger/amend/escalation-reasons.migration.ts';
import { lockEarlierContents } from '../../ledger/contents/lock-earlier.ts';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import { traceColumns } from './traces.columns.ts';

/** Idempotent. */
export function lockEarlierEntries(connection: Connection, keyStore: KeyStore): Promise<void> {
  return lockEarlierContents({ connection, keyStore, columns: traceColumns });
}

/** Idempotent. */
export function lockEscalationReasons(connection: Connection, keyStore: KeyStore): Promise<void> {
  return lockMissingReasons({ connection, keyStore, columns: traceColumns });
}
