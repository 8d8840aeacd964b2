// The vectors of a decision for the memory search, kept by a consumer of the ledger.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface TraceVectorsDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: string;
  /** Sequence of the entry that ingested the decision. */
  sequence: number;
  /** The embedder's name. */
  model: string;
  /** The newest entry reflected in the vectors; readers load what changed after a position. */
  changedAt: number;
  /** Encrypted vector of the question; null if there is none or the decision is erased. */
  question: Buffer | null;
  /** Encrypted vector of the answer. */
  answer: Buffer | null;
}

/** The name that a vector is encrypted under. */
export function toVectorName(part: 'question' | 'answer', decision: number): string {
  return `vector.${part}@${decision}`;
}

export const traceVectorsSchema = new Schema<TraceVectorsDocument>(
  {
    workspaceId: String,
    sequence: Number,
    model: String,
    changedAt: Number,
    question: Buffer,
    answer: Buffer,
  },
  { collection: 'trace_vectors', autoIndex: false, versionKey: false },
);
traceVectorsSchema.plugin(guardTenancy);
traceVectorsSchema.index({ organizationId: 1, sequence: 1 }, { name: 'decision', unique: true });
traceVectorsSchema.index({ organizationId: 1, model: 1, changedAt: 1 }, { name: 'changed' });
