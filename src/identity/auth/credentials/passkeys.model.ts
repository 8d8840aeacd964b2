// Passkeys: what the service needs of each to check its signatures. What counts stands in the chain.
import { Schema } from 'mongoose';
import { CREATED, defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const PASSKEY_NAME_MAX = 60;
const DEVICE_TYPES = ['singleDevice', 'multiDevice'] as const;

export const passkeySchema = defineCollection(
  'passkeys',
  {
    userId: { type: Schema.Types.ObjectId, required: true, immutable: true },
    /** base64url, as its authenticator says it. */
    rawId: { type: String, required: true, immutable: true },
    /** hex SHA-256 of the raw id, which names it in the chain. */
    credentialId: { type: String, required: true, immutable: true },
    /** The public key in COSE, base64url. */
    cose: { type: String, required: true, immutable: true },
    rpId: { type: String, required: true, immutable: true },
    aaguid: { type: String, required: true, immutable: true },
    deviceType: { type: String, enum: DEVICE_TYPES, required: true, immutable: true },
    backedUp: { type: Boolean, required: true, immutable: true },
    name: { type: String, required: true },
    lastUsedAt: { type: Date, default: null },
  },
  { timestamps: CREATED },
);
export interface PasskeyDocument extends DocumentOf<typeof passkeySchema> {}
passkeySchema.index({ credentialId: 1 }, { name: 'credential', unique: true });
passkeySchema.index({ organizationId: 1, userId: 1 }, { name: 'person' });
