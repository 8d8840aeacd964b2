// The answer of ingestion, built from the stored document alone, so that a replay gets the same.
import type { EntryPromise } from '@assay/tlog';
import { toReviewPage } from '../../../domain/events/decision-card.ts';
import { deriveSalt, readSealed } from '../../../domain/record/commitments.ts';
import {
  deriveBindingSalt,
  extractProposedAction,
  hashAction,
} from '../../../domain/actions/proposed-action.ts';
import { toBasis } from '../limits/drafted-grants.ts';
import { findAct } from '../../../domain/halt/act.ts';
import type { Act } from '../../../domain/halt/halt.ts';
import type { ReviewItem, TraceDocument } from '../traces.model.ts';
import type { IngestAnswer } from '../traces.schemas.ts';

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
  | 'sessionId'
  | 'createdAt'
  | 'sequence'
  | 'chainHash'
  | 'sealed'
  | 'deletedAt'
> & { review?: Partial<ReviewItem> };
export type StoredTrace = ReplayableTrace & Pick<TraceDocument, 'organizationId'>;

export interface ActionBinding {
  salt: string;
  commitment: string;
}

export function toIngestAnswer(trace: ReplayableTrace, promise: EntryPromise | null): IngestAnswer {
  const { sequence, chainHash, sealed } = trace;
  const salt = sealed.submitted ? deriveSalt(sealed.submitted.seed, '') : '';
  const reviewId = trace.review?._id?.toHexString() ?? null;
  return {
    traceId: trace.traceId,
    agentId: trace.agentId,
    status: trace.verdict,
    confidenceScore: trace.confidenceScore,
    tags: trace.tags,
    matchedPolicy: trace.answer.policy,
    ...describeBasis(trace.answer),
    createdAt: trace.createdAt,
    hashChain: { sequence, chainHash, salt, promise },
    reviewId,
    actionDigest: computeShownDigest(trace),
    binding: readBinding(trace),
    claimRequired: isClaimRequired(trace),
    expiresAt: trace.review?.expiresAt ?? null,
    links: {
      self: `/api/v1/traces/${trace.traceId}`,
      review: reviewId && toReviewPage(reviewId),
    },
  };
}

/** What stopped it or let it through besides its policies. */
const describeBasis = ({
  halt,
  limits,
  halts,
  grant,
}: TraceDocument['answer']): Pick<IngestAnswer, 'halt' | 'limits' | 'halts' | 'basis'> => ({
  ...(halt && { halt }),
  ...(limits && { limits }),
  ...(halts && { halts }),
  ...(grant && { basis: toBasis(grant) }),
});

/** What the answer alone lets the agent do; null: nothing, or only what it claims. */
export function findAnsweredAct(trace: ReplayableTrace): Act | null {
  if (isClaimRequired(trace)) return null;
  return findAct({ kind: 'trace', status: trace.verdict, actor: { kind: 'key' } }, trace);
}

function isClaimRequired({ verdict, answer }: ReplayableTrace): boolean {
  return verdict === 'flagged' || (verdict === 'approved' && answer.singleUse === true);
}

function computeShownDigest({ sealed }: ReplayableTrace): string | null {
  const output = readSealed(sealed, 'outputDecision');
  return output === null ? null : hashAction(extractProposedAction(output, false));
}

/** Decisions of earlier versions have no binding. */
export function readBinding({
  answer,
  sealed,
}: Pick<TraceDocument, 'answer' | 'sealed'>): ActionBinding | null {
  const { submitted } = sealed;
  const commitment = answer?.binding;
  if (!submitted || commitment === undefined) return null;
  return { salt: deriveBindingSalt(submitted.seed), commitment };
}
