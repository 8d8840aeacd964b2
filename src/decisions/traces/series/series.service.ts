// Decisions counted over time, from the counts that a consumer keeps.
import { resolveAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { Context } from '../../../platform/context.ts';
import { computeBucketRange, countBuckets, MOST_BUCKETS } from '../../../domain/series.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { countVerdictsOverTime } from './decision-counts.service.ts';
import type { SeriesQuery, DecisionSeries } from './series.schemas.ts';

/** Counts by the verdict at ingestion. @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` */
export async function loadSeries(ctx: Context, query: SeriesQuery): Promise<DecisionSeries> {
  const { bucket, agentId, dateFrom = null, dateTo = ctx.platform.clock.now() } = query;
  const range = computeBucketRange(bucket, dateFrom, dateTo);
  const most = MOST_BUCKETS[bucket];
  const size = countBuckets(range);
  if (size < 1 || size > most)
    throw new AppError('VALIDATION_ERROR', `dateFrom: 1 to ${most} ${bucket}s before dateTo`);
  const agentIds = await selectAgents(ctx, agentId);
  const points = await countVerdictsOverTime(ctx, { agentIds, ...range });
  return { ...range, by: 'status', points };
}

/** Those whose decisions are counted alone; null: all decisions. */
async function selectAgents(
  { platform, tenant: { organizationId, agentIds } }: Context,
  named: string | undefined,
): Promise<readonly string[] | null> {
  if (named === undefined) return agentIds;
  const found = resolveAgent(platform, { organizationId, agentIds }, named);
  return [(await findOr404(found, 'No agent of this name is registered')).agentId];
}
