// Withdraws held decisions: an agent that has given up leaves no approval behind.
import { loadTextScrubber } from '../scrubbing/read-scrubbers.service.ts';
import type { Context } from '../../../platform/context.ts';
import type { Key } from '../../../domain/identity/tenant.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import type { TracePayload } from '../../../domain/record/payload.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { toNameFilter } from '../trace-names.ts';
import type { TraceDocument } from '../traces.model.ts';
import { openSubject, prepareWithdrawalAmendment } from './review-amendment.ts';
import { createEndedError, endInTime } from './review-endings.ts';
import type { WithdrawalInput } from './review.schemas.ts';

export interface WithdrawalContext extends Context {
  /** Absent: a person withdraws. */
  key?: Key | undefined;
}

/**
 * Ends the review of a held decision. Repeating it changes nothing. Returns the decision's `traceId`.
 * @throws AppError `NOT_FOUND`, `FORBIDDEN` (another key posted it), `INVALID_OPERATION` (never held),
 * `REVIEW_ENDED`
 */
export async function withdrawTrace(
  { platform, tenant, key }: WithdrawalContext,
  name: string,
  { reason }: WithdrawalInput,
): Promise<string> {
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, ...toNameFilter(name) };
  const query = platform.models.traces.findOne(where, 'traceId agentId view');
  const found = await findOr404(query.lean<TraceDocument>());
  const { traceId } = found;
  if (key) requirePoster(key, found);
  const scrubber = await loadTextScrubber(platform, organizationId);
  const words = reason === undefined ? undefined : scrubber.scrubString(reason).text;
  const withdraw = prepareWithdrawalAmendment(tenant, words, platform.draw16Bytes);
  await endInTime(platform, { organizationId, traceId }, async (about) =>
    isWithdrawn(about.trace) ? null : withdraw(await openSubject(platform.contents, about)),
  );
  return traceId;
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `REVIEW_ENDED` */
function isWithdrawn({ deletedAt, review }: TraceDocument): boolean {
  if (deletedAt) throw new AppError('NOT_FOUND');
  if (!review) throw new AppError('INVALID_OPERATION', 'The decision was not held');
  const { status } = review;
  if (status !== 'pending' && status !== 'withdrawn') throw createEndedError(status);
  return status === 'withdrawn';
}

/**
 * The key that posted the decision, or any key of its agent: keys are replaced while decisions are held.
 * @throws AppError `FORBIDDEN`
 */
function requirePoster({ kind, keyId, agentId }: Key, trace: TraceDocument): void {
  const { actor } = JSON.parse(trace.view) as TracePayload;
  const isOfAgent = kind === 'agentKey' && agentId === trace.agentId;
  if (!isOfAgent && actor.id !== keyId)
    throw new AppError('FORBIDDEN', 'Only the key that posted the decision withdraws it');
}
