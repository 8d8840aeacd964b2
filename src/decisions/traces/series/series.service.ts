// Decisions counted over time, from the counts that a consumer keeps.
import { resolveAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { Context } from '../../../platform/context.ts';
import {
  type BucketRange,
  computeBucketRange,
  countBuckets,
  listBuckets,
  MOST_BUCKETS,
} from '../../../domain/series.ts';
import { AppError } from '../../../errors.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { findOr404, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { Verdict } from '../traces.model.ts';
import type { SeriesQuery, DecisionSeries } from './series.schemas.ts';

export type SeriesPoint = { at: Date } & Record<Verdict, number>;

/** Null: whole workspaces. */
type Selected = { $in: readonly string[] } | null;

/** Counts by the verdict at ingestion. @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` */
export async function loadSeries(ctx: Context, query: SeriesQuery): Promise<DecisionSeries> {
  const { bucket, agentId, dateFrom = null, dateTo = ctx.platform.clock.now() } = query;
  const range = computeBucketRange(bucket, dateFrom, dateTo);
  const most = MOST_BUCKETS[bucket];
  const size = countBuckets(range);
  if (size < 1 || size > most)
    throw new AppError('VALIDATION_ERROR', `dateFrom: 1 to ${most} ${bucket}s before dateTo`);
  const rows = await sumBuckets(ctx, await selectAgents(ctx, agentId), range);
  const counted = new Map(rows.map(({ _id, ...counts }) => [_id.getTime(), counts]));
  const none = { approved: 0, flagged: 0, blocked: 0 };
  const points = listBuckets(range).map((at) => ({
    at,
    ...(counted.get(at.getTime()) ?? none),
  }));
  return { ...range, by: 'status', points };
}

/** The rows to count: of the workspaces as a whole, or of the agents that are asked for. */
async function selectAgents(
  { platform, tenant: { organizationId, agentIds } }: Context,
  named: string | undefined,
): Promise<Selected> {
  if (named === undefined) return agentIds && { $in: agentIds };
  const found = resolveAgent(platform, { organizationId, agentIds }, named);
  return { $in: [(await findOr404(found, 'No agent of this name is registered')).agentId] };
}

async function sumBuckets(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  agentId: Selected,
  { bucket, from, to }: BucketRange,
): Promise<({ _id: Date } & Record<Verdict, number>)[]> {
  const $match = {
    organizationId: toObjectId(organizationId),
    agentId,
    hour: { $gte: from, $lt: to },
    ...(workspaceId !== null && { workspaceId }),
  };
  const $group = {
    _id: { $dateTrunc: { date: '$hour', unit: bucket } },
    approved: { $sum: '$approved' },
    flagged: { $sum: '$flagged' },
    blocked: { $sum: '$blocked' },
  };
  return platform.models.decisionHours.aggregate([{ $match }, { $group }]).option({
    maxTimeMS: READ_MAX_MS,
  });
}
