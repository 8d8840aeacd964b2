// The default assertions of an organisation's manifests.
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const provenanceSettingsSchema = defineCollection(
  'provenance_settings',
  {
    /** JSON text, since the keys are the caller's. */
    defaultAssertions: { type: String, required: true },
  },
  { timestamps: true },
);
export interface ProvenanceSettingsDocument extends DocumentOf<typeof provenanceSettingsSchema> {}
provenanceSettingsSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
