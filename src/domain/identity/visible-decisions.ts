// Which decisions a caller sees.
import type { Tenant } from './tenant.ts';

/** Those of its workspace and of the agents of its key, but for what was deleted. */
export function visibleTo({ workspaceId, agentIds }: Tenant) {
  return {
    deletedAt: null,
    ...(workspaceId !== null && { workspaceId }),
    ...(agentIds !== null && { $and: [{ agentId: { $in: agentIds } }] }),
  };
}
