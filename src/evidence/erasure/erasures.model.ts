// Erasures on request: acknowledged, executed, certified. They name decisions by id, never by content.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export const ERASURE_STATUSES = ['acknowledged', 'executing', 'executed'] as const;

/** What becomes of the copies of the key store that were made before the erasure. */
export interface ErasureDestruction {
  status: 'pending' | 'destroyed';
  /** The last epoch that may have sealed keys of the erased values. */
  epoch: number;
  /** Whether the erasure asked that the epoch ends early. */
  isAsked: boolean;
  destroyedAt: Date | null;
  /** The custodian's signed note. */
  statement: string | null;
  /** The key that signed it. */
  verifierKey: string | null;
}

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
  /** Whether the epoch of the key store shall end early, so that older copies of it open nothing of this. */
  isRollAsked?: boolean;
  executedAt: Date | null;
  /** The canonical text of the certificate. */
  certificate: string | null;
  /** The certificate as JWS compact; null where no key could sign it. */
  signature: string | null;
  signerKid: string | null;
  /** Null or absent: no custodian kept the keys. */
  destruction?: ErasureDestruction | null;
  createdAt: Date;
  updatedAt: Date;
}

const fixed = { required: true, immutable: true } as const;
const later = { default: null } as const;
const count = { type: Number, ...fixed };
const destructionSchema = new Schema<ErasureDestruction>(
  {
    status: { type: String, required: true },
    epoch: { type: Number, required: true },
    isAsked: { type: Boolean, required: true },
    destroyedAt: { type: Date, ...later },
    statement: { type: String, ...later },
    verifierKey: { type: String, ...later },
  },
  { _id: false },
);

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
    isRollAsked: { type: Boolean, default: false },
    executedAt: { type: Date, ...later },
    certificate: { type: String, ...later },
    signature: { type: String, ...later },
    signerKid: { type: String, ...later },
    destruction: { type: destructionSchema, ...later },
  },
  { collection: 'erasures', timestamps: true, autoIndex: false },
);
erasureSchema.plugin(guardTenancy);
erasureSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
erasureSchema.index(
  { executingSince: 1 },
  { name: 'executing', partialFilterExpression: { status: 'executing' } },
);
erasureSchema.index(
  { 'destruction.epoch': 1 },
  { name: 'pending', partialFilterExpression: { 'destruction.status': 'pending' } },
);
