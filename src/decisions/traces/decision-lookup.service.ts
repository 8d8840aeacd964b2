// The one way by which other resources look a stored decision up by its public id, or count those that wait.
import type { Types } from 'mongoose';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Context } from '../../platform/context.ts';
import { countAtMost, findOr404, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { UnregisteredAgent } from '../../domain/agents/unregistered-agent.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import type { TraceDocument, Verdict } from './traces.model.ts';

/** An organisation, or one workspace of it. */
export interface DecisionScope {
  organizationId: string;
  workspaceId?: string;
}

/** Where a decision is. */
export interface FoundDecision {
  _id: Types.ObjectId;
  workspaceId: string;
  /** Null or absent: it was not deleted. */
  deletedAt?: Date | null;
}

/** Newest decisions among which matches are counted. */
const COUNTED_MAX = 10_000;
/** Newest decisions that are searched for names of agents, and the most names that are listed. */
const SEEN_WITHIN = 5000;
const NAMES_MAX = 100;
/** Most decisions that are counted of one name. */
const HISTORY_MAX = 100_000;

/** Null: no such decision in this scope. */
export function findDecision(
  platform: Platform,
  scope: DecisionScope,
  traceId: string,
): Promise<FoundDecision | null> {
  return platform.models.traces
    .findOne({ ...scope, traceId }, 'workspaceId deletedAt')
    .lean<FoundDecision>();
}

/** Null: there is none, or it was deleted. */
export async function findDecisionPlace(
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<{ id: string; workspaceId: string } | null> {
  const found = await findDecision(platform, { organizationId }, traceId);
  if (!found || found.deletedAt) return null;
  return { id: found._id.toHexString(), workspaceId: found.workspaceId };
}

/** Reads some members as they are stored; what is encrypted stays so. */
export function loadStoredDecision<T>(
  platform: Platform,
  { organizationId, traceId }: { organizationId: string; traceId: string },
  members: Readonly<Record<string, 1>> | string,
): Promise<T | null> {
  return platform.models.traces.findOne({ organizationId, traceId }, members).lean<T>();
}

/** Reads a decision that the caller sees, decrypted. @throws AppError `NOT_FOUND` */
export async function loadVisibleDecision(
  { platform, tenant: { organizationId } }: Context,
  filter: Readonly<Record<string, unknown>>,
): Promise<TraceDocument> {
  const stored = await findOr404(
    platform.models.traces.findOne({ ...filter, organizationId }).lean<TraceDocument>(),
  );
  return platform.contents.decryptOne(organizationId, stored);
}

/** Lists the policies that each decision matched. */
export async function listMatchedPolicies(
  platform: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const found = await platform.models.traces
    .find({ organizationId, traceId: { $in: traceIds } }, 'traceId matchedPolicyIds')
    .lean<Pick<TraceDocument, 'traceId' | 'matchedPolicyIds'>[]>();
  return new Map(found.map(({ traceId, matchedPolicyIds }) => [traceId, matchedPolicyIds]));
}

/** Counts the decisions that a policy matched since a time, among the newest of the organisation. */
export async function countPolicyMatches(
  platform: Platform,
  organizationId: Types.ObjectId,
  { policyId, since }: { policyId: string; since: Date },
): Promise<number> {
  const newest = await platform.models.traces.aggregate<{ count: number }>(
    [
      { $match: { organizationId, kind: 'trace' } },
      { $sort: { sequence: -1 } },
      { $limit: COUNTED_MAX },
      { $match: { createdAt: { $gte: since }, matchedPolicyIds: policyId } },
      { $count: 'count' },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  return newest[0]?.count ?? 0;
}

/** Lists names of agents that are not registered, from the newest decisions; the last one seen comes first. */
export async function listUnregisteredAgents(
  platform: Platform,
  { organizationId, workspaceId }: Pick<Tenant, 'organizationId' | 'workspaceId'>,
): Promise<UnregisteredAgent[]> {
  const place = workspaceId === null ? {} : { workspaceId };
  return platform.models.traces.aggregate<UnregisteredAgent>(
    [
      { $match: { organizationId: toObjectId(organizationId), kind: 'trace' } },
      { $sort: { sequence: -1 } },
      { $limit: SEEN_WITHIN },
      { $match: { agentName: null, agentId: { $type: 'string' }, deletedAt: null, ...place } },
      {
        $group: {
          _id: '$agentId',
          decisions: { $sum: 1 },
          lastActive: { $max: '$createdAt' },
        },
      },
      { $sort: { lastActive: -1, _id: 1 } },
      { $limit: NAMES_MAX },
      { $project: { _id: 0, name: '$_id', decisions: 1, lastActive: 1 } },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
}

/** Counts by verdict the newest decisions that are stored under the name of an agent. */
export async function countNamedVerdicts(
  platform: Platform,
  organizationId: string,
  agentId: string,
): Promise<Map<Verdict, number>> {
  const found = await platform.models.traces.aggregate<{ _id: Verdict; count: number }>(
    [
      { $match: { organizationId: toObjectId(organizationId), agentId, kind: 'trace' } },
      { $sort: { sequence: -1 } },
      { $limit: HISTORY_MAX },
      { $group: { _id: '$verdict', count: { $sum: 1 } } },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  return new Map(found.map(({ _id: verdict, count }) => [verdict, count]));
}

/** Returns when the newest decision under the name of an agent was made; null: there is none. */
export async function findLastDecisionTime(
  platform: Platform,
  organizationId: string,
  agentId: string,
): Promise<Date | null> {
  const newest = await platform.models.traces
    .findOne({ organizationId, agentId, kind: 'trace' }, 'createdAt')
    .sort({ sequence: -1 })
    .lean<Pick<TraceDocument, 'createdAt'>>();
  return newest?.createdAt ?? null;
}

/** Counts the decisions that wait for a reviewer, up to a bound. */
export function countPendingReviews(platform: Platform, organizationId: string): Promise<number> {
  const pending = { organizationId, deletedAt: null, 'review.status': 'pending' } as const;
  return countAtMost(platform.models.traces, pending);
}
