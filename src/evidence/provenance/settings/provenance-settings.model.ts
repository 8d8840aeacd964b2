// The default assertions of an organisation's manifests.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface ProvenanceSettingsDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** JSON text, since the keys are the caller's. */
  defaultAssertions: string;
  createdAt: Date;
  updatedAt: Date;
}

export const provenanceSettingsSchema = new Schema<ProvenanceSettingsDocument>(
  { defaultAssertions: { type: String, required: true } },
  { collection: 'provenance_settings', timestamps: true, autoIndex: false },
);
provenanceSettingsSchema.plugin(guardTenancy);
provenanceSettingsSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
