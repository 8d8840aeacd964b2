// The query filter of the decisions that a caller may see.
import type { Tenant } from './tenant.ts';

/** Selects decisions of the caller's workspace and of its key's agents, without deleted ones. */
export function createVisibilityFilter({
  workspaceId,
  agentIds,
}: Pick<Tenant, 'workspaceId' | 'agentIds'>) {
  return {
    deletedAt: null,
    ...(workspaceId !== null && { workspaceId }),
    ...(agentIds !== null && { $and: [{ agentId: { $in: agentIds } }] }),
  };
}
