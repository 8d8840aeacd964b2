// Audit rows that wait to be sealed, and the sealed entries of the audit chain (document 3, sections 2 and 4.4).
import { Schema, type Types } from 'mongoose';
import type { AuditEvent } from '../../domain/record/audit-event.ts';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';
import { AUDIT, listChainIndexes } from '../../ledger/chains.ts';
import type { Sealed } from '../../ledger/entry.ts';
import { auditColumns } from './audit.columns.ts';

/** A row written in the transaction of its change; removed once it is sealed. */
export interface AuditRowDocument {
  /** The audit id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  event: AuditEvent;
  createdAt: Date;
  /** When the sweep seals it, unless its request has; null: set aside, since it cannot be sealed. */
  dueAt: Date | null;
  /** Failed attempts of the sweep. */
  attempts: number;
}

export const auditRowSchema = new Schema<AuditRowDocument>(
  {
    event: { type: Schema.Types.Mixed, required: true },
    dueAt: { type: Date, default: null },
    attempts: { type: Number, default: 0 },
  },
  {
    collection: 'audit_rows',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
    minimize: false,
  },
);
auditRowSchema.plugin(guardTenancy);
auditRowSchema.index({ dueAt: 1 }, { name: 'due' });
auditRowSchema.index({ organizationId: 1 }, { name: 'organization' });

/** Columns that lists filter by: copies of payload members and sealed values, which verification compares. */
export interface AuditColumns {
  auditId: string;
  workspaceId: string | null;
  userId: string | null;
  action: string;
  resource: string;
  resourceId: string | null;
  status: 'success' | 'failure';
  detail: string | null;
  /** Committed values: userEmail, userRole, ipAddress, userAgent, detail, metadata. */
  sealed: Record<string, CommittedValue>;
}
export type AuditEntryDocument = Sealed & AuditColumns;

/** Read side of the audit chain; entries are written by the ledger's appender alone. */
export const auditEntrySchema = new Schema<AuditEntryDocument>(
  {
    sequence: Number,
    kind: String,
    prevHash: String,
    payloadDigest: String,
    chainHash: String,
    createdAt: Date,
    view: String,
    ...auditColumns.types,
    sealed: Schema.Types.Mixed,
  },
  { collection: AUDIT.collection, autoIndex: false, minimize: false },
);
auditEntrySchema.plugin(guardTenancy);
for (const { key, options } of listChainIndexes(AUDIT)) auditEntrySchema.index(key, options);
auditEntrySchema.index({ organizationId: 1, action: 1, sequence: -1 }, { name: 'action' });
