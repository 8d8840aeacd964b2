// An audit event before it is sealed into the audit chain (document 3, section 2).
import type { Role } from '../identity/roles.ts';

export interface AuditEvent {
  organizationId: string;
  workspaceId: string | null;
  userId: string | null;
  /** The user's e-mail address at the time of the event. */
  userEmail: string | null;
  userRole: Role;
  /** Event name, for example `policy.create`. */
  action: string;
  resource: string;
  resourceId: string | null;
  status: 'success' | 'failure';
  /** Searchable free text. */
  detail: string | null;
  metadata: Record<string, unknown>;
  ipAddress: string | null;
  userAgent: string | null;
}

/** The action of the last entry of an audit chain; its committed values may be missing afterwards. */
export const ORGANIZATION_DELETED = 'organization.delete';

/** An event without an authenticated caller: of a job, a provider or an unknown client. Absent members are null. */
export function createSystemAuditEvent(
  event: Pick<AuditEvent, 'organizationId' | 'action' | 'resource'> & Partial<AuditEvent>,
): AuditEvent {
  return {
    workspaceId: null,
    userId: null,
    userEmail: null,
    userRole: 'member',
    resourceId: null,
    status: 'success',
    detail: null,
    metadata: {},
    ipAddress: null,
    userAgent: null,
    ...event,
  };
}
