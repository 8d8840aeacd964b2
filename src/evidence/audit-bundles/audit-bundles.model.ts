// Stored audit bundles: their signed manifests. The archive is generated from the ledger at each download.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf } from '../../platform/mongo/collection.ts';

const fixed = { required: true, immutable: true } as const;
const text = { type: String, ...fixed } as const;
const number = { type: Number, ...fixed } as const;
const date = { type: Date, ...fixed } as const;

export const auditBundleSchema = defineCollection(
  'audit_bundles',
  {
    from: date,
    to: date,
    firstSequence: number,
    lastSequence: number,
    lastChainHash: text,
    entries: number,
    disclosed: { type: [String], ...fixed },
    /** The canonical text. */
    manifest: text,
    /** The manifest as JWS compact. */
    signature: text,
    signerKid: text,
    createdBy: { type: Schema.Types.ObjectId, ...fixed },
  },
  { timestamps: true },
);
export interface AuditBundleDocument extends DocumentOf<typeof auditBundleSchema> {}
auditBundleSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
