// The scope of settings: one workspace, or the whole organisation.
import type { Tenant } from './tenant.ts';

interface Scoped {
  /** Null: the whole organisation. */
  workspaceId: { toHexString(): string } | null;
}

/** A query filter: a workspace sees its own settings and those of the whole organisation. */
export function createScopeFilter({ organizationId, workspaceId }: Tenant) {
  if (workspaceId === null) return { organizationId };
  return { organizationId, $or: [{ workspaceId }, { workspaceId: null }] };
}

/** Whether a setting applies to an event in this workspace; null is an event of the whole organisation. */
export function isInScope(setting: Scoped, workspaceId: string | null): boolean {
  return setting.workspaceId === null || setting.workspaceId.toHexString() === workspaceId;
}
