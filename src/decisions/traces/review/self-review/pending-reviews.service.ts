// Says of decisions whose review is pending whether a member may decide them.
import type { Context, UserContext } from '../../../../platform/context.ts';
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import { createVisibilityFilter } from '../../../../domain/identity/visible-decisions.ts';
import type { Involvement } from '../../../../domain/review/self-review.ts';
import { AppError } from '../../../../errors.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { toItemFilter } from '../held.ts';
import { openSelfReviewCheck, requireOtherReviewer, toHeldSource } from './self-review.service.ts';

const MEMBERS =
  'organizationId sequence traceId workspaceId agentId sealed.facts sealed.actor content generation';

/** What keeps a member from deciding an item; null: nothing does, or it is not pending. */
export async function findPendingSelfReview(ctx: Context, id: string): Promise<Involvement | null> {
  const pending = await loadPending(ctx, toItemFilter([id]));
  const [why = null] = (await openSelfReviewCheck(ctx)(pending)).values();
  return why;
}

/**
 * A status looks like a verdict: who may not decide a pending decision does not set it either. `ids`: of decisions.
 * @throws AppError `FORBIDDEN`
 */
export async function requirePendingReviewer(
  ctx: UserContext,
  ids: readonly string[],
): Promise<void> {
  const pending = await loadPending(ctx, { _id: { $in: ids } });
  if (pending.length > 0 && !REVIEWERS.includes(ctx.user.role))
    throw new AppError(
      'FORBIDDEN',
      'A decision waits for its review: owners, admins and reviewers decide it',
    );
  await requireOtherReviewer(ctx, pending);
}

async function loadPending({ platform, tenant }: Context, which: object) {
  const { organizationId } = tenant;
  const pending = { ...createVisibilityFilter(tenant), 'review.status': 'pending' as const };
  const found = await platform.models.traces
    .find({ ...pending, organizationId, ...which }, MEMBERS)
    .lean<TraceDocument[]>();
  return (await platform.contents.decryptDocuments(organizationId, found)).map(toHeldSource);
}
