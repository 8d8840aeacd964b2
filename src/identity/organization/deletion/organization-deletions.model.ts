// Deleted organisations whose records are still being erased, and when it was done.
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const organizationDeletionSchema = defineCollection('organization_deletions', {
  requestedAt: { type: Date, required: true, immutable: true },
  /** When an instance went on that counted as gone: it may have added records. Absent: none did. */
  repeatedAt: { type: Date },
  /** Null: records may be left. */
  erasedAt: { type: Date, default: null },
});
export interface OrganizationDeletionDocument extends DocumentOf<
  typeof organizationDeletionSchema
> {}
organizationDeletionSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
organizationDeletionSchema.index({ erasedAt: 1 }, { name: 'waiting' });
