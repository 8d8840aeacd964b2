// Provenance manifests: signed claims about decisions; signed members never change, revocation is a separate member.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export const REVOCATION_REASONS = [
  'key-compromise',
  'superseded',
  'content-withdrawn',
  'issued-in-error',
  'other',
] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

export interface ManifestDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: string;
  traceId: string;
  label: string;
  /** SHA-256 of the covered content, in hex. */
  contentHash: string;
  signatureAlg: 'ecdsa-p256-jws' | 'hmac-sha256';
  /** JWS compact; a hex MAC where the algorithm is the former one. */
  signature: string;
  signerKid: string | null;
  signerMode: 'prod-cert' | 'prod-jwk' | 'ephemeral-jwk' | 'legacy-hmac' | null;
  /** The slug of the organisation when it was signed. */
  issuer: string;
  /** JSON text as given, since the keys are the caller's. */
  assertions: string;
  issuedAt: Date;
  issuedBy: Types.ObjectId | null;
  revokedAt: Date | null;
  revocationReason: RevocationReason | null;
  createdAt: Date;
  updatedAt: Date;
}

const text = { type: String, required: true, immutable: true };

export const manifestSchema = new Schema<ManifestDocument>(
  {
    workspaceId: text,
    traceId: text,
    label: text,
    contentHash: text,
    signatureAlg: text,
    signature: text,
    signerKid: { type: String, default: null, immutable: true },
    signerMode: { type: String, default: null, immutable: true },
    issuer: text,
    assertions: text,
    issuedAt: { type: Date, required: true, immutable: true },
    issuedBy: { type: Schema.Types.ObjectId, default: null, immutable: true },
    revokedAt: { type: Date, default: null },
    revocationReason: { type: String, enum: [...REVOCATION_REASONS, null], default: null },
  },
  { collection: 'provenance_manifests', timestamps: true, autoIndex: false },
);
manifestSchema.plugin(guardTenancy);
manifestSchema.index({ organizationId: 1, traceId: 1, label: 1 }, { name: 'label', unique: true });
manifestSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
