// Accepted messages of identity providers, each valid once; they are kept longer than any message is valid.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface UsedMessageDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** SHA-256 of issuer and identifier. */
  digest: string;
  createdAt: Date;
}

const KEPT_SECONDS = 24 * 3600;

export const usedMessageSchema = new Schema<UsedMessageDocument>(
  { digest: { type: String, required: true, immutable: true } },
  {
    // The name dates from versions with SAML only.
    collection: 'saml_messages',
    timestamps: { createdAt: true, updatedAt: false },
    autoIndex: false,
  },
);
usedMessageSchema.plugin(guardTenancy);
usedMessageSchema.index({ organizationId: 1, digest: 1 }, { name: 'once', unique: true });
usedMessageSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
