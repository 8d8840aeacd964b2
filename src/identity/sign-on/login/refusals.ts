// The audit entry of a refused login, which the pipeline cannot write because no caller is known yet.
import { type AuditEvent, createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import { type AppError, describeCauses } from '../../../errors.ts';
import type { Origin } from '../../auth/sessions/sessions.service.ts';

interface Refusal {
  organizationId: string;
  action: 'auth.sso.initiate' | 'auth.sso.failure';
  error: AppError;
  /** Metadata besides the code. */
  metadata: Record<string, unknown>;
}

export function toRefusalEntry(
  { organizationId, action, error, metadata }: Refusal,
  origin: Origin,
): AuditEvent {
  return createSystemAuditEvent({
    organizationId,
    action,
    resource: 'session',
    status: 'failure',
    detail: describeCauses(error),
    metadata: { ...metadata, code: error.code },
    ipAddress: origin.ip || null,
    userAgent: origin.userAgent,
  });
}
