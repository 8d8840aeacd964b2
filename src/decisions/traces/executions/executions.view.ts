// Renders an execution from its entries: the claim, and the newest outcome.
import { type CommittedValue, readSealed } from '../../../domain/record/commitments.ts';
import type { ExecutionPayload } from '../../../domain/record/payload.ts';
import { EDITED_ACTION } from '../../../domain/actions/proposed-action.ts';
import type { Position, Sealed } from '../../../ledger/entry.ts';
import type { ExecutionView } from './executions.schemas.ts';

export interface ExecutionEntry extends Sealed {
  traceId: string;
  sealed?: Record<string, CommittedValue | null>;
}

/**
 * `entries`: all of one execution, opened, in the order of the chain; null: there are none. `editedSalt`: null once the
 * decision is erased.
 */
export function toExecutionView(
  entries: readonly ExecutionEntry[],
  editedSalt: string | null,
): ExecutionView | null {
  const [claim, ...outcomes] = entries;
  if (!claim) return null;
  const newest = outcomes.at(-1);
  const { executionId, leaseUntil, commitments } = readPayload(claim);
  const commitment = commitments[EDITED_ACTION];
  return {
    executionId,
    traceId: claim.traceId,
    state: readPayload(newest ?? claim).state,
    claimedAt: claim.createdAt,
    leaseUntil: new Date(leaseUntil ?? claim.createdAt),
    endedAt: newest?.createdAt ?? null,
    resultDigest: readSealed(newest?.sealed, 'resultDigest'),
    summary: readSealed(newest?.sealed, 'summary'),
    durationMs: readSealed(newest?.sealed, 'durationMs'),
    labels: readSealed(newest?.sealed, 'labels'),
    used: readSealed(newest?.sealed, 'used'),
    editedAction:
      commitment === undefined || editedSalt === null ? null : { salt: editedSalt, commitment },
    receipts: { claim: toPosition(claim), outcome: newest ? toPosition(newest) : null },
  };
}

const readPayload = ({ view }: ExecutionEntry): ExecutionPayload =>
  JSON.parse(view) as ExecutionPayload;

const toPosition = ({ sequence, chainHash }: ExecutionEntry): Position => ({ sequence, chainHash });
