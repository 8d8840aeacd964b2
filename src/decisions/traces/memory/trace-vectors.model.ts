// The vectors of a decision for the memory search, kept by a consumer of the ledger.
import { defineCollection, type DocumentOf, typeAs } from '../../../platform/mongo/collection.ts';

/** The name that a vector is encrypted under. */
export function toVectorName(part: 'question' | 'answer', decision: number): string {
  return `vector.${part}@${decision}`;
}

export const traceVectorsSchema = defineCollection(
  'trace_vectors',
  {
    workspaceId: typeAs<string>(String),
    /** Sequence of the entry that ingested the decision. */
    sequence: typeAs<number>(Number),
    /** The embedder's name. */
    model: typeAs<string>(String),
    /** The newest entry reflected in the vectors; readers load what changed after a position. */
    changedAt: typeAs<number>(Number),
    /** Encrypted vector of the question; null if there is none or the decision is erased. */
    question: typeAs<Buffer | null>(Buffer),
    /** Encrypted vector of the answer. */
    answer: typeAs<Buffer | null>(Buffer),
  },
  { versionKey: false },
);
export interface TraceVectorsDocument extends DocumentOf<typeof traceVectorsSchema> {}
traceVectorsSchema.index({ organizationId: 1, sequence: 1 }, { name: 'decision', unique: true });
traceVectorsSchema.index({ organizationId: 1, model: 1, changedAt: 1 }, { name: 'changed' });
