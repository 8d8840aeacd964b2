// The one way by which other resources look a stored decision up by its public id, or count those that wait.
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { TraceDocument } from './traces.model.ts';

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

export function createDecisionLookup({ models }: Pick<Platform, 'models'>) {
  return {
    /** Null: no such decision in this scope. */
    findDecision(scope: DecisionScope, traceId: string): Promise<FoundDecision | null> {
      return models.traces
        .findOne({ ...scope, traceId }, 'workspaceId deletedAt')
        .lean<FoundDecision>();
    },

    /** Reads some members as they are stored; what is locked stays so. */
    loadStored<T>(
      organizationId: string,
      traceId: string,
      members: Readonly<Record<string, 1>> | string,
    ): Promise<T | null> {
      return models.traces.findOne({ organizationId, traceId }, members).lean<T>();
    },

    /** Lists the policies that each decision matched. */
    async listMatchedPolicies(
      organizationId: string,
      traceIds: readonly string[],
    ): Promise<ReadonlyMap<string, string[]>> {
      const found = await models.traces
        .find({ organizationId, traceId: { $in: traceIds } }, 'traceId matchedPolicyIds')
        .lean<Pick<TraceDocument, 'traceId' | 'matchedPolicyIds'>[]>();
      return new Map(found.map(({ traceId, matchedPolicyIds }) => [traceId, matchedPolicyIds]));
    },

    /** Counts the decisions that a policy matched since a time, among the newest of the organisation. */
    async countMatches(
      organizationId: Types.ObjectId,
      { policyId, since }: { policyId: string; since: Date },
    ): Promise<number> {
      const newest = await models.traces.aggregate<{ count: number }>(
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
    },

    /** Counts the decisions that wait for a reviewer, up to a limit. */
    countPending(organizationId: string, limit: number): Promise<number> {
      const pending = { organizationId, deletedAt: null, 'review.status': 'pending' } as const;
      return models.traces.countDocuments(pending, { limit, maxTimeMS: READ_MAX_MS });
    },
  };
}
export type DecisionLookup = ReturnType<typeof createDecisionLookup>;
