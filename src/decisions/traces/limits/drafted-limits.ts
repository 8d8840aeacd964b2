// What a decision commits to of the limits of its policies, and what its entry reserves of them.
import { toDecisionLimit } from '../../../domain/budgets/limit-keys.ts';
import { listReservations, SPENDS_MAX } from '../../../domain/budgets/spending.ts';
import type { CommittedState } from '../../../domain/record/committed-state.ts';
import { toActPlace } from '../../../domain/halt/act.ts';
import { OBSERVED } from '../../../domain/otlp/observed.ts';
import type { Spends } from '../../../ledger/entry.ts';
import type { DraftContext } from '../ingestion/draft.ts';
import type { Judgement } from '../ingestion/judge.ts';

interface DraftedLimits {
  /** Its part of what the entry commits to. */
  state: CommittedState;
  /** Absent: nothing is done by now, so nothing is reserved. */
  spends?: Spends;
}

/**
 * Undefined: no policy of the decision has a limit. What was done before it was reported counts as well, and passes
 * every limit. `agentRef`: the agent as the caller named it.
 */
export function draftLimits(
  judged: Judgement,
  context: DraftContext,
  agentRef: string,
): DraftedLimits | undefined {
  if (judged.limits.length === 0) return undefined;
  const place = {
    organizationId: context.tenant.organizationId,
    ...findPlace(judged, context, agentRef),
  };
  const limits = judged.limits
    .slice(0, SPENDS_MAX)
    .map((one) => toDecisionLimit(one, place, context.effectSecret));
  const isObserved = judged.tags.includes(OBSERVED);
  const added = judged.verdict === 'approved' || isObserved ? listReservations(limits) : [];
  const state: CommittedState = added.length > 0 ? { limits, spends: added } : { limits };
  return {
    state,
    ...(added.length > 0 && { spends: { added, caps: isObserved ? [] : limits } }),
  };
}

function findPlace(
  { content: { sessionId } }: Judgement,
  { workspaceId, agent, agentMark, principal }: DraftContext,
  agentRef: string,
) {
  const decision = {
    workspaceId,
    agentId: agent?.agentId ?? agentRef,
    answer: agentMark === undefined ? null : { agentMark },
    sessionId: typeof sessionId === 'string' ? sessionId : null,
  };
  return toActPlace(decision, principal);
}
