// A sealed audit entry as the interface shows it.
import type { Json } from '@assay/json';
import type { AuditEntryDocument } from './audit.model.ts';
import type { AuditEntryView } from './audit.schemas.ts';

/** Committed values come from the committed text, not from their copies. */
export function toAuditEntryView(entry: AuditEntryDocument): AuditEntryView {
  const opened = Object.fromEntries(
    Object.entries(entry.sealed).map(([name, { text: readText }]) => [
      name,
      JSON.parse(readText) as Json,
    ]),
  );
  const readText = (name: string): string | null => (opened[name] ?? null) as string | null;
  return {
    _id: entry.auditId,
    organizationId: entry.organizationId,
    workspaceId: entry.workspaceId,
    userId: entry.userId,
    userEmail: readText('userEmail'),
    userRole: readText('userRole') ?? 'member',
    action: entry.action,
    resource: entry.resource,
    resourceId: entry.resourceId,
    status: entry.status,
    detail: entry.detail,
    metadata: (opened.metadata ?? null) as Record<string, Json> | null,
    ipAddress: readText('ipAddress'),
    userAgent: readText('userAgent'),
    sequence: entry.sequence,
    chainHash: entry.chainHash,
    previousChainHash: entry.prevHash,
    createdAt: entry.createdAt,
  };
}
