// Says where decisions stand that spent something of a limit.
import type { Context } from '../../../platform/context.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { TraceDocument } from '../traces.model.ts';

export interface SpendingTarget {
  workspaceId: string;
  agentId: string;
  /** Null: the agent is not registered. */
  agentName: string | null;
  /** Null: none, or erased. */
  sessionId: string | null;
}

/** Keyed by `traceId`; decisions that the caller does not see are missing, erased ones are not. */
export async function listTargets(
  { platform, tenant }: Context,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, SpendingTarget>> {
  const { organizationId } = tenant;
  const { deletedAt: _, ...visible } = createVisibilityFilter(tenant);
  const found = await platform.models.traces
    .find(
      { ...visible, organizationId, traceId: { $in: traceIds } },
      'traceId workspaceId agentId agentName sessionId',
    )
    .maxTimeMS(READ_MAX_MS)
    .lean<TraceDocument[]>();
  return new Map(
    found.map(({ traceId, workspaceId, agentId, agentName, sessionId }) => [
      traceId,
      { workspaceId: String(workspaceId), agentId, agentName, sessionId: sessionId ?? null },
    ]),
  );
}
