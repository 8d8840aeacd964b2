// One document per organisation; writing it wakes the instances that follow the collection.
import { defineCollection, type DocumentOf } from './collection.ts';

export const organizationSignalSchema = defineCollection(
  'organization_signals',
  { sentAt: { type: Date, required: true } },
  { versionKey: false },
);
export interface OrganizationSignalDocument extends DocumentOf<typeof organizationSignalSchema> {}
organizationSignalSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
