// Reads the counts of decisions that a consumer keeps, within the caller's workspace.
import type { PipelineStage } from 'mongoose';
import { parsePolicies, VERDICTS } from '../../../domain/counts/decision-path.ts';
import type { DecisionWindow } from '../../../domain/events/alert-measures.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import {
  type Bucket,
  type BucketRange,
  computeCoveredRange,
  listBuckets,
} from '../../../domain/series.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { Context, PlatformContext } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { measureIndexLag } from '../search/index-lag.ts';
import type { Verdict } from '../traces.model.ts';
import { COUNTS_CONSUMER } from './decision-counts.consumer.ts';
import type { Dimension } from './decision-counts.model.ts';

export type VerdictCounts = Record<Verdict, number>;

/** Keys that are read of a dimension, the most frequent first. */
const KEYS_MAX = 5_000;
const POINTS_MAX = 20_000;

/** Sums by the verdict that a key ends with. */
const BY_VERDICT = {
  approved: sumKeys(/approved$/),
  flagged: sumKeys(/flagged$/),
  blocked: sumKeys(/blocked$/),
} satisfies Record<Verdict, object>;

function sumKeys(regex: RegExp) {
  return { $sum: { $cond: [{ $regexMatch: { input: '$key', regex } }, '$count', 0] } };
}

/** What to add up; `agentIds`: of these registered agents alone. */
interface VerdictQuery extends BucketRange {
  agentIds: readonly string[] | null;
}

/** The counts of every bucket that the range touches, the earliest first. */
export async function countVerdictsOverTime(
  ctx: Context,
  { agentIds, bucket, ...range }: VerdictQuery,
): Promise<({ at: Date } & VerdictCounts)[]> {
  const $match = {
    ...matchRange(ctx.tenant, range),
    unit: 'hour',
    ...(agentIds === null ? { dimension: 'verdict' } : matchAgents(agentIds)),
  };
  const _id = { $dateTrunc: { date: '$at', unit: bucket } };
  type Group = { _id: Date } & VerdictCounts;
  const stages = [{ $match }, { $group: { _id, ...BY_VERDICT } }];
  const found = await readGroups<Group>(ctx, stages);
  const counted = new Map(found.map(({ _id: at, ...counts }) => [at.getTime(), counts]));
  const none = { approved: 0, flagged: 0, blocked: 0 };
  return listBuckets(computeCoveredRange(bucket, range)).map((at) => ({
    at,
    ...(counted.get(at.getTime()) ?? none),
  }));
}

const matchAgents = (agentIds: readonly string[]) => ({
  dimension: 'agent',
  key: { $in: agentIds.flatMap((id) => VERDICTS.map((verdict) => `${id}|${verdict}`)) },
});

/** Hours of a week, Monday first, that have decisions. */
export async function countWeekHours(
  ctx: Context,
  range: Range,
): Promise<({ weekday: number; hour: number } & VerdictCounts)[]> {
  type Group = { _id: { weekday: number; hour: number } } & VerdictCounts;
  const $match = { ...matchRange(ctx.tenant, range), unit: 'hour', dimension: 'verdict' };
  const _id = { weekday: { $isoDayOfWeek: '$at' }, hour: { $hour: '$at' } };
  const stages = [{ $match }, { $group: { _id, ...BY_VERDICT } }];
  const found = await readGroups<Group>(ctx, stages);
  return found.map(({ _id: place, ...counts }) => ({ ...place, ...counts }));
}

interface Range {
  from: Date;
  to: Date;
}

interface KeysQuery extends Range {
  dimension: Dimension;
  unit: Bucket;
}

/** The counts of a dimension by key, the most frequent keys alone. */
export async function countKeys(
  ctx: Context,
  { dimension, unit, ...range }: KeysQuery,
): Promise<Map<string, number>> {
  const stages: PipelineStage[] = [
    { $match: { ...matchRange(ctx.tenant, range), dimension, unit } },
    { $group: { _id: '$key', count: { $sum: '$count' } } },
    { $match: { count: { $gt: 0 } } },
    { $sort: { count: -1, _id: 1 } },
    { $limit: KEYS_MAX },
  ];
  const found = await readGroups<{ _id: string; count: number }>(ctx, stages);
  return new Map(found.map(({ _id, count }) => [_id, count]));
}

/** Decisions of a bucket that the same policies matched. */
interface PolicyPoint {
  at: Date;
  policies: string[];
  count: number;
}

/** Decisions over time by the policies that matched; those that none matched are left out. */
export async function countPolicySets(
  ctx: Context,
  { unit, bucket, ...range }: Range & { unit: Bucket; bucket: Bucket },
): Promise<PolicyPoint[]> {
  const policies = { $arrayElemAt: [{ $split: ['$key', '|'] }, 1] };
  const at = { $dateTrunc: { date: '$at', unit: bucket } };
  const stages: PipelineStage[] = [
    { $match: { ...matchRange(ctx.tenant, range), dimension: 'path', unit } },
    { $group: { _id: { at, policies }, count: { $sum: '$count' } } },
    { $match: { '_id.policies': { $ne: '' }, count: { $gt: 0 } } },
    { $sort: { count: -1 } },
    { $limit: POINTS_MAX },
  ];
  type Group = { _id: { at: Date; policies: string }; count: number };
  const found = await readGroups<Group>(ctx, stages);
  return found.map(({ _id, count }) => ({
    at: _id.at,
    policies: parsePolicies(_id.policies),
    count,
  }));
}

/** Whose decisions are counted. */
interface Counted extends PlatformContext {
  tenant: Pick<Tenant, 'organizationId' | 'workspaceId'>;
}

/** Decisions of a range by verdict, and how those ended that were carried out. */
export async function countWindow(ctx: Counted, range: Range): Promise<DecisionWindow> {
  const where = { ...matchRange(ctx.tenant, range), unit: 'hour' };
  const sums = {
    ...BY_VERDICT,
    ended: sumKeys(/\|(succeeded|failed|unknown)$/),
    failed: sumKeys(/\|failed$/),
  };
  const [found] = await readGroups<DecisionWindow>(ctx, [
    { $match: { ...where, dimension: { $in: ['verdict', 'path'] } } },
    { $group: { _id: null, ...sums } },
    { $project: { _id: 0 } },
  ]);
  return found ?? { approved: 0, flagged: 0, blocked: 0, ended: 0, failed: 0 };
}

/** Number of newest entries that are not counted yet. */
export const measureCountLag = ({ platform, tenant }: Context): Promise<number> =>
  measureIndexLag(platform, tenant.organizationId, COUNTS_CONSUMER);

const matchRange = ({ organizationId, workspaceId }: Counted['tenant'], { from, to }: Range) => ({
  organizationId: toObjectId(organizationId),
  at: { $gte: from, $lt: to },
  ...(workspaceId !== null && { workspaceId }),
});

function readGroups<T>({ platform }: PlatformContext, stages: PipelineStage[]): Promise<T[]> {
  return platform.models.decisionCounts.aggregate<T>(stages).option({ maxTimeMS: READ_MAX_MS });
}
