// Stored audit bundles: their signed manifests. The archive is generated from the ledger at each download.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface AuditBundleDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  from: Date;
  to: Date;
  firstSequence: number;
  lastSequence: number;
  lastChainHash: string;
  entries: number;
  disclosed: string[];
  /** The canonical text. */
  manifest: string;
  /** The manifest as JWS compact. */
  signature: string;
  signerKid: string;
  createdBy: Types.ObjectId;
  createdAt: Date;
  updatedAt: Date;
}

const fixed = { required: true, immutable: true } as const;
const text = { type: String, ...fixed };
const number = { type: Number, ...fixed };
const date = { type: Date, ...fixed };

export const auditBundleSchema = new Schema<AuditBundleDocument>(
  {
    from: date,
    to: date,
    firstSequence: number,
    lastSequence: number,
    lastChainHash: text,
    entries: number,
    disclosed: { type: [String], ...fixed },
    manifest: text,
    signature: text,
    signerKid: text,
    createdBy: { type: Schema.Types.ObjectId, ...fixed },
  },
  { collection: 'audit_bundles', timestamps: true, autoIndex: false },
);
auditBundleSchema.plugin(guardTenancy);
auditBundleSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
