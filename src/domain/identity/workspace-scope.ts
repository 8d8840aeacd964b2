// What an organisation sets up for one of its workspaces, or for all of them.
import type { Tenant } from './tenant.ts';

interface Scoped {
  /** Null: the whole organisation. */
  workspaceId: { toHexString(): string } | null;
}

/** A workspace sees its own, and those of the whole organisation. */
export function inScopeOf({ organizationId, workspaceId }: Tenant) {
  if (workspaceId === null) return { organizationId };
  return { organizationId, $or: [{ workspaceId }, { workspaceId: null }] };
}

/** Those of a workspace concern what happens in it; `workspaceId` is null for what concerns the whole organisation. */
export function concerns(setting: Scoped, workspaceId: string | null): boolean {
  return setting.workspaceId === null || setting.workspaceId.toHexString() === workspaceId;
}
