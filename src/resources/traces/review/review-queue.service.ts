// The review queue: the decisions that policies held for a person, as reviewers see them (document 2, section 4.3).
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { countedTo, findOr404, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { ReadScrubbers } from '../read-scrubbers.ts';
import { readTracePage } from '../trace-pages.ts';
import { REVIEW_STATUSES, type ReviewItem, type TraceDocument } from '../traces.model.ts';
import { toTraceView, VIEW_MEMBERS } from '../traces.view.ts';
import { visibleTo } from '../../../domain/identity/visible-decisions.ts';
import { type HeldDecision, isHeld, ofItems } from './held.ts';
import { LIST_MAX } from './review.schemas.ts';
import {
  type ListedReview,
  type ReviewItemView,
  toListedReview,
  toReviewView,
} from './review.view.ts';
import type { ReviewVerdicts } from './review-verdicts.service.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'clock'> & {
  scrubbers: ReadScrubbers;
  verdicts: ReviewVerdicts;
};

export interface ReviewList {
  items: ListedReview[];
  total: number;
}

const FIRST_PAGE = { skip: 0, limit: LIST_MAX };

export function createReviewQueueService(deps: Deps) {
  const { models, contents, clock, scrubbers, verdicts } = deps;

  const decided = ({ held }: HeldDecision): boolean => held.item.status !== 'pending';

  async function verdictsOf(organizationId: string, items: readonly HeldDecision[]) {
    const traceIds = items.filter(decided).map(({ traceId }) => traceId);
    return verdicts.of(organizationId, traceIds);
  }

  return {
    /** The newest items, up to `LIST_MAX`. */
    async list(tenant: Tenant, status?: ReviewItem['status']): Promise<ReviewList> {
      const { organizationId, signal } = tenant;
      const wanted = status === undefined ? { $in: REVIEW_STATUSES } : status;
      const where = { ...visibleTo(tenant), organizationId, 'review.status': wanted };
      const scrubberOf = await scrubbers.readingFor(organizationId);
      const [page, total] = await Promise.all([
        readTracePage(deps, where, { page: FIRST_PAGE, scrubberOf, signal }),
        models.traces.countDocuments(where).limit(countedTo(FIRST_PAGE)).maxTimeMS(READ_MAX_MS),
      ]);
      const held = page.filter(isHeld);
      const found = await verdictsOf(organizationId, held);
      const now = clock.now();
      const items = held.map((trace) =>
        toListedReview(trace, { verdict: found.get(trace.traceId), now }),
      );
      return { items, total };
    },

    /** @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, id: string): Promise<ReviewItemView> {
      const { organizationId } = tenant;
      const where = { ...visibleTo(tenant), organizationId, ...ofItems([id]) };
      const query = models.traces.findOne(where, VIEW_MEMBERS).lean<TraceDocument>();
      const trace = await contents.openOne(organizationId, await findOr404(query));
      const scrubberOf = await scrubbers.readingFor(organizationId);
      // A decision that is found by its review item is held.
      const held = (await toTraceView(trace, scrubberOf(trace))) as HeldDecision;
      const found = await verdictsOf(organizationId, [held]);
      return toReviewView(held, { verdict: found.get(held.traceId), now: clock.now() });
    },
  };
}
export type ReviewQueueService = ReturnType<typeof createReviewQueueService>;
