// Gives waiting audit rows of earlier versions the time at which the sweep takes them: at once.
import type { Connection } from 'mongoose';
import type { AuditRowDocument } from './audit.model.ts';

/** Idempotent: rows that have the member are left alone. */
export async function dateAuditRows(connection: Connection): Promise<void> {
  await connection
    .model<AuditRowDocument>('AuditRow')
    .updateMany({ dueAt: { $exists: false } }, { $set: { dueAt: new Date(0), attempts: 0 } })
    .setOptions({ crossTenant: true });
}
