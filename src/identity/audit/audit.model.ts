// Audit rows that wait to be sealed, and the sealed entries of the audit chain (document 3, sections 2 and 4.4).
import { Schema } from 'mongoose';
import type { AuditEvent } from '../../domain/record/audit-event.ts';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';
import { AUDIT, listChainIndexes } from '../../ledger/chains.ts';
import type { Sealed } from '../../ledger/entry.ts';
import { auditColumns } from './audit.columns.ts';
import {
  CREATED,
  defineCollection,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

export const auditRowSchema = defineCollection(
  'audit_rows',
  {
    event: typeAs<AuditEvent>({ type: Schema.Types.Mixed, required: true }),
    /** When the sweep seals it, unless its request has; null: set aside, since it cannot be sealed. */
    dueAt: { type: Date, default: null },
    /** Failed attempts of the sweep. */
    attempts: { type: Number, default: 0 },
  },
  { timestamps: CREATED, minimize: false },
);
/** A row written in the transaction of its change; removed once it is sealed. Its id is the audit id. */
export interface AuditRowDocument extends DocumentOf<typeof auditRowSchema> {}
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
