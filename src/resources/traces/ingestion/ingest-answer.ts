// The answer of ingestion, built from the stored document alone, so that a replay gets the same.
import { deriveSalt } from '../../../domain/record/commitments.ts';
import type { TraceDocument, Verdict } from '../traces.model.ts';

/** Members of a stored decision that the answer is built from, at ingestion and for a replay. */
export type ReplayableTrace = Pick<
  TraceDocument,
  | 'traceId'
  | 'agentId'
  | 'workspaceId'
  | 'schemaVersion'
  | 'verdict'
  | 'confidenceScore'
  | 'tags'
  | 'answer'
  | 'createdAt'
  | 'sequence'
  | 'chainHash'
  | 'sealed'
  | 'deletedAt'
>;

export interface IngestAnswer {
  traceId: string;
  agentId: string;
  status: Verdict;
  confidenceScore: number;
  tags: string[];
  matchedPolicy: { name: string; reason: string } | null;
  createdAt: Date;
  /** The receipt; `salt` is that of the commitment to the submitted body. */
  hashChain: { sequence: number; chainHash: string; salt: string };
}

export function toIngestAnswer(trace: ReplayableTrace): IngestAnswer {
  const { sequence, chainHash, sealed } = trace;
  const salt = sealed.submitted ? deriveSalt(sealed.submitted.seed, '') : '';
  return {
    traceId: trace.traceId,
    agentId: trace.agentId,
    status: trace.verdict,
    confidenceScore: trace.confidenceScore,
    tags: trace.tags,
    matchedPolicy: trace.answer.policy,
    createdAt: trace.createdAt,
    hashChain: { sequence, chainHash, salt },
  };
}
