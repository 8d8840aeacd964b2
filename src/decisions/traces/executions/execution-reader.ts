// Reads executions from their entries, and finds the one that a repeated claim is about.
import { canonicalize, type Json } from '@assay/json';
import type { Context } from '../../../platform/context.ts';
import { deriveEditedSalt } from '../../../domain/actions/proposed-action.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ExecutionOutcome } from './execution-amendment.ts';
import { type ExecutionEntry, toExecutionView } from './executions.view.ts';
import { isRepeated, type KeyedClaim } from './repeated-claims.ts';
import type { ExecutionView } from './executions.schemas.ts';

/** The members of an outcome besides its state. */
const SAID = ['resultDigest', 'summary', 'durationMs', 'labels', 'used'] as const;

const MEMBERS = 'traceId sequence chainHash createdAt view sealed content generation';

/** The execution of a decision; null: it was not claimed. */
export async function loadExecution(
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<ExecutionView | null> {
  return (await loadEntries(platform, organizationId, traceId)).execution;
}

/** @throws AppError `NOT_FOUND` */
export const requireExecution = (
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<ExecutionView> => findOr404(loadExecution(platform, organizationId, traceId));

/** Whether this very outcome is the one that is recorded. @throws AppError `NOT_FOUND` */
export async function isRecordedOutcome(
  platform: Platform,
  { organizationId, traceId }: { organizationId: string; traceId: string },
  { outcome, ...values }: ExecutionOutcome,
): Promise<boolean> {
  const known = await requireExecution(platform, organizationId, traceId);
  const isSame = (name: keyof typeof values): boolean =>
    canonicalize((values[name] ?? null) as Json) === canonicalize(known[name] as Json);
  return known.state === outcome && SAID.every(isSame);
}

/**
 * The execution of a claim that is repeated while it may still be under way: no one else has been given it.
 * @throws AppError `APPROVAL_USED`
 */
export async function requireRepeatedExecution(
  { platform, tenant: { organizationId, actor } }: Context,
  traceId: string,
  claim: KeyedClaim,
): Promise<ExecutionView> {
  const { entries, execution } = await loadEntries(platform, organizationId, traceId);
  const [claimed] = entries;
  const isUnderWay = execution?.state === 'claimed' && execution.leaseUntil > platform.clock.now();
  if (!claimed || !isUnderWay || !isRepeated(claimed, { actor, claim }))
    throw new AppError('APPROVAL_USED');
  return execution;
}

/** The entries of an execution, opened, and what they show. */
async function loadEntries(platform: Platform, organizationId: string, traceId: string) {
  const found = await platform.models.ledger
    .find({ organizationId, traceId, kind: { $in: ['trace', 'execution'] } }, MEMBERS)
    .sort({ sequence: 1 })
    .lean<ExecutionEntry[]>();
  const [trace, ...entries] = await platform.contents.decryptDocuments(organizationId, found);
  const seed = trace?.sealed?.['submitted']?.seed;
  const editedSalt = seed === undefined ? null : deriveEditedSalt(seed);
  return { entries, execution: toExecutionView(entries, editedSalt) };
}
