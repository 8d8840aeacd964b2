// The decisions that filters find, by their ids: what is done to all of them at once begins so.
import type { Context } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { measureWordLag, SEARCH_MAX } from './decision-search.service.ts';
import { buildListFilter } from './list-filter.service.ts';
import type { TraceQuery } from './list-query.schemas.ts';

export interface FoundDecisions {
  /** The oldest first, at most as many as were asked for. */
  traceIds: string[];
  /** Others that were found, as far as the index looks. */
  more: number;
  /** Newest entries that the index does not have yet. */
  unsearched: number;
}

/** @throws AppError `VALIDATION_ERROR` when a search takes too long */
export async function findDecisionIds(
  ctx: Context,
  query: TraceQuery,
  most: number,
): Promise<FoundDecisions> {
  const { platform, tenant } = ctx;
  const unsearched = await measureWordLag(platform, tenant.organizationId);
  const where = await buildListFilter(ctx, query);
  const found = await platform.models.traces
    .find(where, { _id: 0, traceId: 1 })
    .sort({ sequence: 1 })
    .limit(SEARCH_MAX)
    .maxTimeMS(READ_MAX_MS)
    .lean<{ traceId: string }[]>();
  const traceIds = found.slice(0, most).map(({ traceId }) => traceId);
  return { traceIds, more: found.length - traceIds.length, unsearched };
}
