// Sets the due time of audit rows that earlier versions left unsealed, so that the sweep seals them at once.
import type { Connection } from 'mongoose';
import type { AuditRowDocument } from './audit.model.ts';

/** Idempotent: rows that have the member are left alone. */
export async function setAuditRowDates(connection: Connection): Promise<void> {
  await connection
    .model<AuditRowDocument>('AuditRow')
    .updateMany({ dueAt: { $exists: false } }, { $set: { dueAt: new Date(0), attempts: 0 } })
    .setOptions({ crossTenant: true });
}
