// The vectors of a decision for the memory search, kept by a consumer of the ledger.
import { Schema, type Types } from 'mongoose';
import { tenancy } from '../../../platform/mongo/tenancy.ts';

export interface TraceVectorsDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  workspaceId: string;
  /** Of the entry that ingested the decision. */
  sequence: number;
  /** The embedder's name. */
  model: string;
  /** The newest entry that the vectors tell of: readers ask for what has changed. */
  changedAt: number;
  /** Of the question, locked; null where there is none, and once the decision is erased. */
  question: Buffer | null;
  /** Of the answer, locked. */
  answer: Buffer | null;
}

/** What a vector is locked for. */
export function vectorName(part: 'question' | 'answer', decision: number): string {
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
traceVectorsSchema.plugin(tenancy);
traceVectorsSchema.index({ organizationId: 1, sequence: 1 }, { name: 'decision', unique: true });
traceVectorsSchema.index({ organizationId: 1, model: 1, changedAt: 1 }, { name: 'changed' });
