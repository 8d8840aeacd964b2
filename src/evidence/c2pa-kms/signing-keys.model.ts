// All signing keys that the installation ever used; their public halves stay, so that old manifests can be verified.
import { Schema, type Types } from 'mongoose';
import type { PublicJwk } from '../../domain/provenance/public-key.ts';

export interface SigningKeyDocument {
  _id: Types.ObjectId;
  /** SHA-256 of the SPKI in hex. */
  kid: string;
  provider: 'database' | 'kms' | 'env' | 'file';
  mode: 'prod-cert' | 'prod-jwk' | 'ephemeral-jwk';
  publicKey: PublicJwk;
  /** Certificates in base64 DER, the key's own first. */
  certificates: string[];
  /** Counted from 1 for each provider that makes its keys; null: the operator gives it. */
  generation: number | null;
  /** Null: the operator gives it. */
  status: 'active' | 'retired' | null;
  /** Set for provider `database`. */
  sealed: { dataKey: string; privateKey: string } | null;
  /** Set for provider `kms`. */
  kmsKeyId: string | null;
  activatedAt: Date;
  retiredAt: Date | null;
}

/** A key that this installation generated. */
export interface KeyGeneration extends SigningKeyDocument {
  generation: number;
  status: 'active' | 'retired';
}

const text = { type: String, required: true, immutable: true };

export const signingKeySchema = new Schema<SigningKeyDocument>(
  {
    kid: text,
    provider: text,
    mode: text,
    publicKey: { type: Schema.Types.Mixed, required: true, immutable: true },
    certificates: { type: [String], immutable: true },
    generation: { type: Number, default: null, immutable: true },
    status: { type: String, enum: ['active', 'retired', null], default: null },
    sealed: { type: Schema.Types.Mixed, default: null, immutable: true },
    kmsKeyId: { type: String, default: null, immutable: true },
    activatedAt: { type: Date, required: true, immutable: true },
    retiredAt: { type: Date, default: null },
  },
  { collection: 'signing_keys', autoIndex: false },
);
signingKeySchema.index({ kid: 1 }, { name: 'kid', unique: true });
signingKeySchema.index(
  { provider: 1, generation: -1 },
  {
    name: 'generation',
    unique: true,
    partialFilterExpression: { generation: { $gte: 1 } },
  },
);
signingKeySchema.index(
  { provider: 1 },
  { name: 'active', unique: true, partialFilterExpression: { status: 'active' } },
);
