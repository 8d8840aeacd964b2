// The audit entry of a refused login, which the pipeline cannot write because no caller is known yet.
import { type AuditEvent, systemAuditEvent } from '../../../domain/record/audit-event.ts';
import { type AppError, reasonOf } from '../../../errors.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';

interface Refusal {
  organizationId: string;
  action: 'auth.sso.initiate' | 'auth.sso.failure';
  error: AppError;
  /** Metadata besides the code. */
  metadata: Record<string, unknown>;
}

export function refusalEntry(
  { organizationId, action, error, metadata }: Refusal,
  origin: Origin,
): AuditEvent {
  return systemAuditEvent({
    organizationId,
    action,
    resource: 'session',
    status: 'failure',
    detail: reasonOf(error),
    metadata: { ...metadata, code: error.code },
    ipAddress: origin.ip || null,
    userAgent: origin.userAgent,
  });
}
