// Deleted organisations whose records are still being erased, and when it was done.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface OrganizationDeletionDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  requestedAt: Date;
  /** When an instance went on that counted as gone: it may have added records. Absent: none did. */
  repeatedAt?: Date;
  /** Null: records may be left. */
  erasedAt: Date | null;
}

export const organizationDeletionSchema = new Schema<OrganizationDeletionDocument>(
  {
    requestedAt: { type: Date, required: true, immutable: true },
    repeatedAt: { type: Date },
    erasedAt: { type: Date, default: null },
  },
  { collection: 'organization_deletions', autoIndex: false },
);
organizationDeletionSchema.plugin(guardTenancy);
organizationDeletionSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
organizationDeletionSchema.index({ erasedAt: 1 }, { name: 'waiting' });
