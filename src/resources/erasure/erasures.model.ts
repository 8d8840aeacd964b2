// Erasures on request: acknowledged, executed, certified. They name decisions by id, never by content.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export const ERASURE_STATUSES = ['acknowledged', 'executing', 'executed'] as const;

export interface ErasureDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Workspace of the user who acknowledged; null: all workspaces. */
  workspaceId: string | null;
  traceIds: string[];
  reason: string;
  impactDigest: string;
  counts: { decisions: number; values: number; reviewItems: number; outboxRows: number };
  status: (typeof ERASURE_STATUSES)[number];
  acknowledgedBy: Types.ObjectId;
  /** End of the time in which it may be executed. */
  expiresAt: Date;
  executedBy: Types.ObjectId | null;
  executingSince: Date | null;
  /** The instance that executes it, or did so last. */
  executingInstance: string | null;
  executedAt: Date | null;
  /** The canonical text of the certificate. */
  certificate: string | null;
  /** The certificate as JWS compact; null where no key could sign it. */
  signature: string | null;
  signerKid: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const fixed = { required: true, immutable: true } as const;
const later = { default: null } as const;
const count = { type: Number, ...fixed };

export const erasureSchema = new Schema<ErasureDocument>(
  {
    workspaceId: { type: String, default: null, immutable: true },
    traceIds: { type: [String], ...fixed },
    reason: { type: String, ...fixed },
    impactDigest: { type: String, ...fixed },
    counts: new Schema(
      { decisions: count, values: count, reviewItems: count, outboxRows: count },
      { _id: false },
    ),
    status: { type: String, enum: ERASURE_STATUSES, default: 'acknowledged' },
    acknowledgedBy: { type: Schema.Types.ObjectId, ...fixed },
    expiresAt: { type: Date, ...fixed },
    executedBy: { type: Schema.Types.ObjectId, ...later },
    executingSince: { type: Date, ...later },
    executingInstance: { type: String, ...later },
    executedAt: { type: Date, ...later },
    certificate: { type: String, ...later },
    signature: { type: String, ...later },
    signerKid: { type: String, ...later },
  },
  { collection: 'erasures', timestamps: true, autoIndex: false },
);
erasureSchema.plugin(guardTenancy);
erasureSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
erasureSchema.index(
  { executingSince: 1 },
  { name: 'executing', partialFilterExpression: { status: 'executing' } },
);
