// Answers noised queries: the database counts, the privacy budget is charged, then noised numbers are released.
import type { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { fromNanos, toNanos } from '../../domain/privacy/nano-units.ts';
import {
  type ExactGroup,
  type Grouping,
  releaseGroups,
  SCORE_UNITS,
} from '../../domain/privacy/released-numbers.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { consumeBudget, requireBudget } from './privacy-budget.service.ts';
import type { noisedQueryInput, NoisedAnswer } from './privacy-budget.schemas.ts';

type NoisedQuery = z.output<typeof noisedQueryInput>;

/** All possible groups are listed, so that only the noised numbers show which of them have decisions. */
const STATUSES = ['success', 'approved', 'flagged', 'escalated', 'pending', 'blocked'] as const;
const ALL = 'all';
const OTHER = 'other';
/** Number of agents with a group of their own, the oldest ones; all others are in `other`. */
const AGENTS_MAX = 100;

/** @throws AppError `PRIVACY_BUDGET_EXHAUSTED` */
export async function answerQuery(ctx: Context, query: NoisedQuery): Promise<NoisedAnswer> {
  const { metric, groupBy, mechanism, purpose } = query;
  const cost = { epsilon: toNanos(query.epsilon), delta: toNanos(query.delta) };
  await requireBudget(ctx, cost);
  const exact = await countGroups(ctx, groupBy, await listGroups(ctx, groupBy));
  const spent = await consumeBudget(ctx, purpose, cost);
  const { groups, standardDeviation: ofCounts } = releaseGroups(
    exact,
    { metric, mechanism, cost },
    ctx.platform.draw16Bytes,
  );
  const standardDeviation = metric === 'count' ? ofCounts : null;
  const released = { groups, standardDeviation };
  const charged = { epsilon: fromNanos(cost.epsilon), delta: fromNanos(cost.delta) };
  return { metric, groupBy, mechanism, purpose, ...charged, ...released, budget: spent };
}

async function listGroups({ platform, tenant }: Context, groupBy: Grouping): Promise<string[]> {
  if (groupBy === 'none') return [ALL];
  if (groupBy === 'status') return [...STATUSES];
  const { organizationId } = tenant;
  const agents = await platform.models.agents
    .find({ organizationId, deletedAt: null }, '_id')
    .sort({ _id: 1 })
    .limit(AGENTS_MAX)
    .lean();
  return [...agents.map(({ _id }) => _id.toHexString()), OTHER];
}

/** Counts exactly. @throws the database's time-out error when it takes too long; nothing is spent then */
async function countGroups(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  groupBy: Grouping,
  groups: readonly string[],
): Promise<ExactGroup[]> {
  const where = {
    organizationId: toObjectId(organizationId),
    deletedAt: null,
    ...(workspaceId !== null && { workspaceId }),
  };
  const counted = await platform.models.traces
    .aggregate<{ _id: string; count: number; sum: number }>([
      { $match: where },
      { $group: { _id: buildGroupExpression(groupBy, groups), count: { $sum: 1 }, sum: SUM } },
    ])
    .option({ maxTimeMS: READ_MAX_MS });
  const byGroup = new Map(counted.map((each) => [each._id, each]));
  return groups.map((group) => {
    const { count: found = 0, sum = 0 } = byGroup.get(group) ?? {};
    return { group, count: found, sum };
  });
}

function buildGroupExpression(groupBy: Grouping, groups: readonly string[]): object {
  if (groupBy === 'none') return { $literal: ALL };
  if (groupBy === 'status') return { $toString: '$status' };
  return { $cond: [{ $in: ['$agentId', groups] }, '$agentId', OTHER] };
}

/** Sums scores in whole units from the middle of their range; an erased score counts as the middle. */
const SUM = {
  $sum: {
    $let: {
      vars: { score: { $min: [1, { $max: [0, { $ifNull: ['$confidenceScore', 0.5] }] }] } },
      in: {
        $subtract: [{ $round: [{ $multiply: ['$$score', SCORE_UNITS] }, 0] }, SCORE_UNITS / 2],
      },
    },
  },
};
