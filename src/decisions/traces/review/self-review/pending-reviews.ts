// Says of decisions whose review is pending whether a member may decide them.
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import type { Tenant, User } from '../../../../domain/identity/tenant.ts';
import { createVisibilityFilter } from '../../../../domain/identity/visible-decisions.ts';
import type { Involvement } from '../../../../domain/review/self-review.ts';
import { AppError } from '../../../../errors.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { toItemFilter } from '../held.ts';
import { type SelfReview, toHeldSource } from './self-review.service.ts';

const MEMBERS =
  'organizationId sequence traceId workspaceId agentId sealed.facts sealed.actor content generation';

export function createPendingReviews(
  { models, contents }: Pick<Platform, 'models' | 'contents'>,
  { selfReview }: { selfReview: SelfReview },
) {
  async function loadPending(tenant: Tenant, which: object) {
    const { organizationId } = tenant;
    const pending = { ...createVisibilityFilter(tenant), 'review.status': 'pending' as const };
    const found = await models.traces
      .find({ ...pending, organizationId, ...which }, MEMBERS)
      .lean<TraceDocument[]>();
    return (await contents.decryptDocuments(organizationId, found)).map(toHeldSource);
  }

  return {
    /** What keeps a member from deciding an item; null: nothing does, or it is not pending. */
    async findSelfReview(tenant: Tenant, id: string): Promise<Involvement | null> {
      const pending = await loadPending(tenant, toItemFilter([id]));
      const [why = null] = (await selfReview.openCheck(tenant)(pending)).values();
      return why;
    },

    /**
     * A status looks like a verdict: who may not decide a pending decision does not set it either. `ids`: of decisions.
     * @throws AppError `FORBIDDEN`
     */
    async requireReviewer(
      { tenant, user }: { tenant: Tenant; user: User },
      ids: readonly string[],
    ): Promise<void> {
      const pending = await loadPending(tenant, { _id: { $in: ids } });
      if (pending.length > 0 && !REVIEWERS.includes(user.role))
        throw new AppError(
          'FORBIDDEN',
          'A decision waits for its review: owners, admins and reviewers decide it',
        );
      await selfReview.requireOther(tenant, pending);
    },
  };
}
export type PendingReviews = ReturnType<typeof createPendingReviews>;
