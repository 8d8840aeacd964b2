// The filter of a list of decisions: what the caller sees, what its columns say, and what the indexes find.
import { listStoredAgentNames } from '../../../identity/agents/agent-resolver.service.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { OBSERVED } from '../../../domain/otlp/observed.ts';
import type { Context } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { buildPolicyFilter } from '../limits/policy-filter.ts';
import { listStoredForms } from '../scrubbing/read-scrubbers.service.ts';
import type { TraceFilter } from '../stored-traces.ts';
import type { TraceQuery } from './list-query.schemas.ts';
import { isIndexQuery, type Retain, searchDecisions } from './decision-search.service.ts';

/** @throws AppError `VALIDATION_ERROR` when a search takes too long */
export async function buildListFilter(ctx: Context, query: TraceQuery): Promise<TraceFilter> {
  const { platform, tenant } = ctx;
  const { $and: agentsOf = [], ...visible } = createVisibilityFilter(tenant);
  const columns = { ...(await toColumnFilter(ctx, query)), ...toRangeFilters(query) };
  const policyOf = await resolvePolicyFilter(ctx, query.policyId);
  const { organizationId } = tenant;
  const seen = { ...visible, ...columns, organizationId };
  const $and = [...agentsOf, ...policyOf, ...toWorkspaceFilter(query)];
  const where = { ...seen, ...($and.length > 0 && { $and }) };
  if (!isIndexQuery(query)) return where;
  const isAlone = Object.keys(columns).length === 0 && $and.length === 0;
  const isNone = isForeign(ctx, query);
  const retain = isAlone && visible.workspaceId === undefined ? null : createRetain(ctx, where);
  const found = isNone ? [] : await searchDecisions(platform, tenant, { query, retain });
  return { ...seen, $and: [...$and, { sequence: { $in: found } }] };
}

/** Selects from what an index finds. */
function createRetain({ platform, tenant: { signal } }: Context, where: TraceFilter): Retain {
  return async ($in) => {
    signal?.throwIfAborted();
    const found = await platform.models.traces
      .find({ ...where, sequence: { $in } }, { _id: 0, sequence: 1 })
      .maxTimeMS(READ_MAX_MS)
      .lean<{ sequence: number }[]>();
    return new Set(found.map(({ sequence }) => sequence));
  };
}

/** Whether another workspace is asked for than the one that the caller has chosen. */
const isForeign = ({ tenant }: Context, { workspaceId }: TraceQuery): boolean =>
  workspaceId !== undefined && ![null, workspaceId].includes(tenant.workspaceId);

const toWorkspaceFilter = ({ workspaceId }: TraceQuery): object[] =>
  workspaceId === undefined ? [] : [{ workspaceId }];

async function resolvePolicyFilter({ platform, tenant }: Context, policyId: string | undefined) {
  if (policyId === undefined) return [];
  return [await buildPolicyFilter(platform, tenant.organizationId, policyId)];
}

async function toColumnFilter({ platform, tenant }: Context, query: TraceQuery): Promise<object> {
  const { organizationId } = tenant;
  const { traceId, status, agentId, sessionId, parentTraceId, humanOverride } = query;
  return {
    ...(agentId !== undefined && {
      agentId: { $in: await listStoredAgentNames(platform, organizationId, agentId) },
    }),
    ...(traceId !== undefined && { traceId }),
    ...(sessionId !== undefined && {
      sessionId: { $in: await listStoredForms(platform, organizationId, sessionId) },
    }),
    ...(parentTraceId !== undefined && { parentTraceId }),
    ...(status !== undefined && { status }),
    ...(humanOverride !== undefined && { humanOverride }),
    ...toObservedFilter(query),
    ...toHeldFilter(query, platform.clock.now()),
  };
}

function toObservedFilter({ observed }: TraceQuery): object {
  if (observed === undefined) return {};
  return { tags: observed ? OBSERVED : { $ne: OBSERVED } };
}

function toHeldFilter({ heldSeconds }: TraceQuery, now: Date): object {
  if (heldSeconds === undefined) return {};
  const since = new Date(now.getTime() - heldSeconds * 1000);
  return { 'review.status': 'pending', createdAt: { $lte: since } };
}

function toRangeFilters(query: TraceQuery): object {
  return {
    ...toRangeFilter('confidenceScore', query.minConfidence, query.maxConfidence),
    ...toRangeFilter('timestamp', query.dateFrom, query.dateTo),
  };
}

function toRangeFilter<T>(
  field: string,
  least: T | undefined,
  most: T | undefined,
): Record<string, object> {
  if (least === undefined && most === undefined) return {};
  return {
    [field]: {
      ...(least !== undefined && { $gte: least }),
      ...(most !== undefined && { $lte: most }),
    },
  };
}
