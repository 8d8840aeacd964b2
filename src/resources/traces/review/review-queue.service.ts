// The review queue: the decisions that policies held for a person, as reviewers see them (document 2, section 4.3).
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { computeCountLimit, findOr404, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { ReadScrubbers } from '../read-scrubbers.ts';
import { readTracePage } from '../trace-pages.ts';
import { REVIEW_STATUSES, type ReviewItem, type TraceDocument } from '../traces.model.ts';
import { toTraceView, VIEW_MEMBERS } from '../traces.view.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { type HeldDecision, isHeld, toItemFilter } from './held.ts';
import { LIST_MAX } from './review.schemas.ts';
import {
  type ListedReview,
  type ReviewItemView,
  toListedReview,
  toReviewView,
} from './review.view.ts';
import type { ReviewVerdicts } from './review-verdicts.service.ts';

interface Deps {
  scrubbers: ReadScrubbers;
  verdicts: ReviewVerdicts;
}

export interface ReviewList {
  items: ListedReview[];
  total: number;
}

const FIRST_PAGE = { skip: 0, limit: LIST_MAX };

export function createReviewQueueService(
  platform: Pick<Platform, 'models' | 'contents' | 'clock'>,
  deps: Deps,
) {
  const { models, contents, clock } = platform;
  const { scrubbers, verdicts } = deps;

  const isDecided = ({ held }: HeldDecision): boolean => held.item.status !== 'pending';

  async function loadDecidedVerdicts(organizationId: string, items: readonly HeldDecision[]) {
    const traceIds = items.filter(isDecided).map(({ traceId }) => traceId);
    return verdicts.loadVerdicts(organizationId, traceIds);
  }

  return {
    /** The newest items, up to `LIST_MAX`. */
    async listItems(tenant: Tenant, status?: ReviewItem['status']): Promise<ReviewList> {
      const { organizationId, signal } = tenant;
      const wanted = status === undefined ? { $in: REVIEW_STATUSES } : status;
      const where = { ...createVisibilityFilter(tenant), organizationId, 'review.status': wanted };
      const scrubberOf = await scrubbers.loadReadScrubber(organizationId);
      const [page, total] = await Promise.all([
        readTracePage(platform, where, { page: FIRST_PAGE, scrubberOf, signal }),
        models.traces
          .countDocuments(where)
          .limit(computeCountLimit(FIRST_PAGE))
          .maxTimeMS(READ_MAX_MS),
      ]);
      const held = page.filter(isHeld);
      const found = await loadDecidedVerdicts(organizationId, held);
      const now = clock.now();
      const items = held.map((trace) =>
        toListedReview(trace, { verdict: found.get(trace.traceId), now }),
      );
      return { items, total };
    },

    /** @throws AppError `NOT_FOUND` */
    async loadItem(tenant: Tenant, id: string): Promise<ReviewItemView> {
      const { organizationId } = tenant;
      const where = { ...createVisibilityFilter(tenant), organizationId, ...toItemFilter([id]) };
      const query = models.traces.findOne(where, VIEW_MEMBERS).lean<TraceDocument>();
      const trace = await contents.openOne(organizationId, await findOr404(query));
      const scrubberOf = await scrubbers.loadReadScrubber(organizationId);
      // A decision that is found by its review item is held.
      const held = (await toTraceView(trace, scrubberOf(trace))) as HeldDecision;
      const found = await loadDecidedVerdicts(organizationId, [held]);
      return toReviewView(held, { verdict: found.get(held.traceId), now: clock.now() });
    },
  };
}
export type ReviewQueueService = ReturnType<typeof createReviewQueueService>;
