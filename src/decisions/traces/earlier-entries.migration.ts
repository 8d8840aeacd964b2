// Migrates decisions that earlier versions stored otherwise: contents in clear, escalations with nothing for a reason.
import type { Connection } from 'mongoose';
import { encryptMissingReasons } from '../../ledger/amend/escalation-reasons.migration.ts';
import { encryptEarlierContents } from '../../ledger/contents/encrypt-earlier.ts';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import { traceColumns } from './traces.columns.ts';

/** Idempotent. */
export function encryptEarlierEntries(connection: Connection, keyStore: KeyStore): Promise<void> {
  return encryptEarlierContents({ connection, keyStore, columns: traceColumns });
}

/** Idempotent. */
export function encryptEscalationReasons(
  connection: Connection,
  keyStore: KeyStore,
): Promise<void> {
  return encryptMissingReasons({ connection, keyStore, columns: traceColumns });
}
