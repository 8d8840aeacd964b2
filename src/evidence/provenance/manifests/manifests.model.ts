// Provenance manifests: signed claims about decisions; signed members never change, revocation is a separate member.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

export const REVOCATION_REASONS = [
  'key-compromise',
  'superseded',
  'content-withdrawn',
  'issued-in-error',
  'other',
] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

const text = { type: String, required: true, immutable: true } as const;

export const manifestSchema = defineCollection(
  'provenance_manifests',
  {
    workspaceId: text,
    traceId: text,
    label: text,
    /** SHA-256 of the covered content, in hex. */
    contentHash: text,
    signatureAlg: typeAs<'ecdsa-p256-jws' | 'hmac-sha256'>(text),
    /** JWS compact; a hex MAC where the algorithm is the former one. */
    signature: text,
    signerKid: { type: String, default: null, immutable: true },
    signerMode: typeAs<'prod-cert' | 'prod-jwk' | 'ephemeral-jwk' | 'legacy-hmac' | null>({
      type: String,
      default: null,
      immutable: true,
    }),
    /** The slug of the organisation when it was signed. */
    issuer: text,
    /** JSON text as given, since the keys are the caller's. */
    assertions: text,
    issuedAt: { type: Date, required: true, immutable: true },
    issuedBy: { type: Schema.Types.ObjectId, default: null, immutable: true },
    revokedAt: { type: Date, default: null },
    revocationReason: { type: String, enum: [...REVOCATION_REASONS, null], default: null },
  },
  { timestamps: true },
);
export interface ManifestDocument extends DocumentOf<typeof manifestSchema> {}
manifestSchema.index({ organizationId: 1, traceId: 1, label: 1 }, { name: 'label', unique: true });
manifestSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
