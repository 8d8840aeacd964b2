// What the outcome of an execution settles or gives back of the limits that its approval reserved.
import { settleReservations, type Spending } from '../../../domain/budgets/spending.ts';
import { readCommittedState } from '../../../domain/record/committed-state.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { ExecutionOutcome } from '../executions/execution-amendment.ts';

/** None where the decision has no limits. The reservation is that of the decision, or of the person's approval. */
export async function listSettled(
  { models }: Pick<Platform, 'models'>,
  { organizationId, traceId, sealed, createdAt }: TraceDocument,
  said: ExecutionOutcome,
): Promise<Spending[]> {
  const state = readCommittedState(sealed);
  if (!state.limits) return [];
  if (state.spends) return settleReservations(state, createdAt, said);
  const approval = await models.ledger
    .findOne({ organizationId, traceId, kind: 'review' }, 'sealed.state createdAt')
    .lean<Pick<TraceDocument, 'sealed' | 'createdAt'>>();
  return approval
    ? settleReservations(readCommittedState(approval.sealed), approval.createdAt, said)
    : [];
}
