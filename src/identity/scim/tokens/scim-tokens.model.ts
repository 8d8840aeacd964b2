// The SCIM token of an organisation: one at a time; only its digest is stored.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface ScimTokenDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  tokenHash: string;
  createdAt: Date;
}

export const scimTokenSchema = new Schema<ScimTokenDocument>(
  { tokenHash: { type: String, required: true } },
  {
    collection: 'scim_tokens',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
scimTokenSchema.plugin(guardTenancy);
scimTokenSchema.index({ organizationId: 1 }, { name: 'organization', unique: true });
scimTokenSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
