// Erasures on request: acknowledged, executed, certified. They name decisions by id, never by content.
import { Schema } from 'mongoose';
import {
  allowAbsent,
  defineCollection,
  definePart,
  type DocumentOf,
  typeAs,
} from '../../platform/mongo/collection.ts';

export const ERASURE_STATUSES = ['acknowledged', 'executing', 'executed'] as const;

const fixed = { required: true, immutable: true } as const;
const later = { default: null } as const;
const count = { type: Number, ...fixed } as const;
const destructionSchema = definePart({
  status: typeAs<'pending' | 'destroyed'>({ type: String, required: true }),
  /** The last epoch that may have sealed keys of the erased values. */
  epoch: { type: Number, required: true },
  /** Whether the erasure asked that the epoch ends early. */
  isAsked: { type: Boolean, required: true },
  destroyedAt: { type: Date, ...later },
  /** The custodian's signed note. */
  statement: { type: String, ...later },
  /** The key that signed it. */
  verifierKey: { type: String, ...later },
});
/** What becomes of the copies of the key store that were made before the erasure. */
export interface ErasureDestruction extends DocumentOf<typeof destructionSchema> {}

export const erasureSchema = defineCollection(
  'erasures',
  {
    /** Workspace of the user who acknowledged; null: all workspaces. */
    workspaceId: { type: String, default: null, immutable: true },
    traceIds: { type: [String], ...fixed },
    reason: { type: String, ...fixed },
    impactDigest: { type: String, ...fixed },
    counts: definePart({ decisions: count, values: count, reviewItems: count, outboxRows: count }),
    status: { type: String, enum: ERASURE_STATUSES, default: 'acknowledged' },
    acknowledgedBy: { type: Schema.Types.ObjectId, ...fixed },
    /** End of the time in which it may be executed. */
    expiresAt: { type: Date, ...fixed },
    executedBy: { type: Schema.Types.ObjectId, ...later },
    executingSince: { type: Date, ...later },
    /** The instance that executes it, or did so last. */
    executingInstance: { type: String, ...later },
    /** Whether the epoch of the key store shall end early, so that older copies of it open nothing of this. */
    isRollAsked: allowAbsent({ type: Boolean, default: false }),
    executedAt: { type: Date, ...later },
    /** The canonical text of the certificate. */
    certificate: { type: String, ...later },
    /** The certificate as JWS compact; null where no key could sign it. */
    signature: { type: String, ...later },
    signerKid: { type: String, ...later },
    /** Null or absent: no custodian kept the keys. */
    destruction: allowAbsent({ type: destructionSchema, ...later }),
  },
  { timestamps: true },
);
export interface ErasureDocument extends DocumentOf<typeof erasureSchema> {}
erasureSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'newest' });
erasureSchema.index(
  { executingSince: 1 },
  { name: 'executing', partialFilterExpression: { status: 'executing' } },
);
erasureSchema.index(
  { 'destruction.epoch': 1 },
  { name: 'pending', partialFilterExpression: { 'destruction.status': 'pending' } },
);
