// What a decision says to the span of the call that it guards: whether it was permitted, which one, and to whom.
import type { Json } from '@assay/json';
import { deriveBindingSalt } from '../../domain/actions/proposed-action.ts';
import type { BoundAction } from '../../domain/otlp/guarded-action.ts';
import { type GuardingDecision, OBSERVED } from '../../domain/otlp/observed.ts';
import { APPROVED } from './executions/claim-checks.ts';
import { findBinding } from './review/review-amendment.ts';
import type { TraceDocument } from './traces.model.ts';

/** A decision that guards a call. */
export interface GuardingTrace
  extends GuardingDecision, Pick<TraceDocument, 'agentId' | 'agentName'> {
  traceId: string;
  agentMark: string | undefined;
  /** Null: the action was not claimed. */
  executionId: string | null;
  /** Without the edits of its approval, which stand in the claim. */
  action: Omit<BoundAction, 'edited'>;
  isEdited: boolean;
}

export const GUARDING_MEMBERS =
  'traceId sequence verdict status tags agentId agentName answer review.edited execution._id execution.state sealed.submitted sealed.outputDecision changed.outputDecision content generation';

/** Expects an opened decision. */
export function toGuardingTrace(trace: TraceDocument): GuardingTrace {
  const { traceId, verdict, status, tags, agentId, agentName, answer, review, execution } = trace;
  return {
    traceId,
    isPermitted: verdict === 'approved' && APPROVED.has(status) && !tags.includes(OBSERVED),
    isSingleUse: answer?.singleUse === true,
    execution: execution?.state ?? null,
    executionId: execution?._id.toHexString() ?? null,
    agentId,
    agentName,
    agentMark: answer?.agentMark,
    action: readAction(trace),
    isEdited: review?.edited === true,
  };
}

function readAction(trace: TraceDocument): GuardingTrace['action'] {
  const { submitted, outputDecision } = trace.sealed;
  const commitment = findBinding(trace);
  const isBound = submitted != null && commitment !== null;
  const text = outputDecision?.text;
  const stored = text === undefined ? null : (JSON.parse(text) as { action?: Json }).action;
  return {
    raw: isBound ? { commitment, salt: deriveBindingSalt(submitted.seed) } : null,
    stored: stored ?? null,
  };
}
