// Loads decisions as mails, chats and pages show them, read when they are sent: an erased one is not found.
import type { DecisionCard, HeldReview } from '../../../../domain/events/decision-card.ts';
import { extractProposedAction, formatAction } from '../../../../domain/actions/proposed-action.ts';
import type { VoteState } from '../../../../domain/review/approval-votes.ts';
import type { Platform } from '../../../../platform/platform.ts';
import { loadReadScrubber } from '../../scrubbing/read-scrubbers.service.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { type Held, toTraceView, type TraceView, VIEW_MEMBERS } from '../../traces.view.ts';
import { loadAskedBallots, toApprovedItem } from '../approvals/approvals.service.ts';
import { toAskedState } from '../approvals/approvals.view.ts';
import { isHeld } from '../held.ts';
import { findDeadline } from './review-notice.ts';

/** Null: there is none, it was deleted, or its contents were erased. */
export async function loadDecisionCard(
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<DecisionCard | null> {
  const where = { organizationId, traceId, deletedAt: null, erasedAt: null };
  const query = platform.models.traces.findOne(where, VIEW_MEMBERS).lean<TraceDocument>();
  const stored = await query;
  if (!stored) return null;
  const trace = await platform.contents.decryptOne(organizationId, stored);
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  const view = await toTraceView(trace, scrubberOf(trace));
  const policy = trace.answer?.policy ?? null;
  const approvals = await loadState(platform, organizationId, view);
  return { ...toCard(view, approvals), organizationId, policy };
}

async function loadState(
  platform: Platform,
  organizationId: string,
  view: TraceView,
): Promise<VoteState | null> {
  if (!isHeld(view)) return null;
  const items = [toApprovedItem(view)];
  const [asked] = (await loadAskedBallots(platform, organizationId, items)).values();
  return asked ? toAskedState(asked, view.held.item.status) : null;
}

function toCard(
  view: TraceView,
  approvals: VoteState | null,
): Omit<DecisionCard, 'organizationId' | 'policy'> {
  const { held, traceId, workspaceId, confidenceScore, inputContext, rationale, status } = view;
  const action = held ? held.action : extractProposedAction(view.outputDecision, false);
  return {
    traceId,
    workspaceId,
    agent: view.agentName ?? view.agentId,
    action: formatAction(action),
    confidence: confidenceScore,
    inputContext,
    rationale,
    status,
    review: held && { ...toHeldReview(held), approvals },
  };
}

function toHeldReview({ item, actionDigest }: Held): Omit<HeldReview, 'approvals'> {
  return {
    reviewId: item._id.toHexString(),
    status: item.status,
    actionDigest,
    priority: item.priority,
    deadline: findDeadline(item),
    expiresAt: item.expiresAt ?? null,
    decidedBy: item.decidedBy ?? null,
    decidedAt: item.decidedAt ?? null,
  };
}
