// Accepted messages of identity providers, each valid once; they are kept longer than any message is valid.
import { CREATED, defineCollection } from '../../../platform/mongo/collection.ts';

const KEPT_SECONDS = 24 * 3600;

export const usedMessageSchema = defineCollection(
  // The name dates from versions with SAML only.
  'saml_messages',
  {
    /** SHA-256 of issuer and identifier. */
    digest: { type: String, required: true, immutable: true },
  },
  { timestamps: CREATED },
);
usedMessageSchema.index({ organizationId: 1, digest: 1 }, { name: 'once', unique: true });
usedMessageSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
