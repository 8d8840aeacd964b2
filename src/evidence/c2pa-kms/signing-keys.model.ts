// All signing keys that the installation ever used; their public halves stay, so that old manifests can be verified.
import { Schema } from 'mongoose';
import type { PublicJwk } from '../../domain/provenance/public-key.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

/** A key that this installation generated. */
export interface KeyGeneration extends SigningKeyDocument {
  generation: number;
  status: 'active' | 'retired';
}

const text = { type: String, required: true, immutable: true } as const;

export const signingKeySchema = defineCollection(
  'signing_keys',
  {
    /** SHA-256 of the SPKI in hex. */
    kid: text,
    provider: typeAs<'database' | 'kms' | 'env' | 'file'>(text),
    mode: typeAs<'prod-cert' | 'prod-jwk' | 'ephemeral-jwk'>(text),
    publicKey: typeAs<PublicJwk>({ type: Schema.Types.Mixed, required: true, immutable: true }),
    /** Certificates in base64 DER, the key's own first. */
    certificates: { type: [String], immutable: true },
    /** Counted from 1 for each provider that makes its keys; null: the operator gives it. */
    generation: { type: Number, default: null, immutable: true },
    /** Null: the operator gives it. */
    status: { type: String, enum: ['active', 'retired', null], default: null },
    /** Set for provider `database`. */
    sealed: typeAs<{ dataKey: string; privateKey: string } | null>({
      type: Schema.Types.Mixed,
      default: null,
      immutable: true,
    }),
    /** Set for provider `kms`. */
    kmsKeyId: { type: String, default: null, immutable: true },
    activatedAt: { type: Date, required: true, immutable: true },
    retiredAt: { type: Date, default: null },
  },
  { ofNoTenant: true },
);
export interface SigningKeyDocument extends DocumentOf<typeof signingKeySchema> {}
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
