// Decides whether an action may be claimed: observed, status, expiry, digest, in this order; the caller says once.
import type { Json } from '@assay/json';
import { applyMergePatch } from '../../../domain/actions/merge-patch.ts';
import {
  commitRawAction,
  deriveBindingSalt,
  hashAction,
} from '../../../domain/actions/proposed-action.ts';
import { isObserved } from '../../../domain/otlp/observed.ts';
import { AppError } from '../../../errors.ts';
import type { ResolvedAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { TraceDocument } from '../traces.model.ts';
import { readPayloadText } from '../traces.view.ts';
import { findBinding } from '../review/review-amendment.ts';
import type { ClaimInput } from './executions.schemas.ts';

/**
 * Expects an opened decision. `edits`: those of its approval, else null. `isUsable`: its time is not over.
 * @throws AppError `DECISION_OBSERVED`, `APPROVAL_...`, `DECISION_ERASED`, `INVALID_OPERATION`
 */
export function requireClaimable(
  trace: TraceDocument,
  claim: ClaimInput,
  { edits, isUsable }: { edits: Json; isUsable: boolean },
): void {
  requireUndone(trace);
  requireApproved(trace);
  if (!isUsable) throw new AppError('APPROVAL_EXPIRED');
  requireSameAction(trace, claim);
  requireSameEdits(claim, edits);
}

/** What was approved before is not begun while its agent is paused. @throws AppError `APPROVAL_REJECTED` */
export function requireUnpaused(agent: Pick<ResolvedAgent, 'pausedBecause'> | null): void {
  if (agent?.pausedBecause)
    throw new AppError('APPROVAL_REJECTED', `The agent is paused: ${agent.pausedBecause}`);
}

/** Refuses a decision that was reported after the fact: claiming it would permit a second execution. */
function requireUndone(trace: TraceDocument): void {
  const adapter = readPayloadText(trace, 'adapter');
  if (adapter !== null && isObserved(JSON.parse(adapter) as Json))
    throw new AppError('DECISION_OBSERVED');
}

/** Statuses that let an action be executed; a person may set another one after an approval. */
export const APPROVED: ReadonlySet<string> = new Set(['approved', 'success']);

/** Error codes by the status of a review that has not ended in an approval. */
const ENDED = {
  pending: 'APPROVAL_PENDING',
  rejected: 'APPROVAL_REJECTED',
  withdrawn: 'APPROVAL_REJECTED',
  expired: 'APPROVAL_EXPIRED',
} as const;

function requireApproved({ review, verdict, status, erasedAt }: TraceDocument): void {
  if (verdict === 'blocked') throw new AppError('APPROVAL_REJECTED', 'A policy blocked the action');
  const ended = ENDED[review?.status as keyof typeof ENDED];
  if (ended !== undefined) throw new AppError(ended);
  if (status === 'blocked') throw new AppError('APPROVAL_REJECTED');
  if (!APPROVED.has(status)) throw new AppError('APPROVAL_PENDING');
  if (erasedAt) throw new AppError('DECISION_ERASED', 'The content of the decision was erased');
}

function requireSameAction(trace: TraceDocument, { rawActionDigest }: ClaimInput): void {
  const { submitted } = trace.sealed;
  if (trace.answer?.binding === undefined || !submitted)
    throw new AppError('INVALID_OPERATION', 'The decision was recorded before actions were bound');
  const binding = findBinding(trace);
  if (binding === null)
    throw new AppError(
      'APPROVAL_MISMATCH',
      'The action was corrected: propose the corrected one as a new decision',
    );
  if (commitRawAction(rawActionDigest, deriveBindingSalt(submitted.seed)) !== binding)
    throw new AppError('APPROVAL_MISMATCH');
}

/** The raw action is not kept, so the agent brings it along, and the edits are applied to it here as well. */
function requireSameEdits(claim: ClaimInput, edits: Json): void {
  const { rawActionDigest, editedActionDigest, action = null } = claim;
  if (edits === null && editedActionDigest === undefined) return;
  if (edits === null)
    throw new AppError(
      'APPROVAL_MISMATCH',
      'It was approved without edits: send `rawActionDigest` alone',
    );
  if (action === null || editedActionDigest === undefined)
    throw new AppError(
      'APPROVAL_MISMATCH',
      'It was approved with edits: send `action` and `editedActionDigest`',
    );
  if (hashAction(action) !== rawActionDigest)
    throw new AppError('APPROVAL_MISMATCH', '`action` is not that of `rawActionDigest`');
  if (hashAction(applyMergePatch(action, edits)) !== editedActionDigest)
    throw new AppError(
      'APPROVAL_MISMATCH',
      '`editedActionDigest` is not that of the edited action',
    );
}
