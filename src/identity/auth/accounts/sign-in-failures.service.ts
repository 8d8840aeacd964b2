// Audits failed sign-ins of known accounts without delaying the answer, so its timing does not reveal known accounts.
import type { Platform } from '../../../platform/platform.ts';
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { Origin, SessionService } from '../sessions/sessions.service.ts';
import type { UserDocument } from './users.model.ts';

interface Deps {
  sessions: SessionService;
  audit: AuditService;
}

export interface SignInFailure {
  method: string;
  detail: string;
}

export function createSignInFailures(
  { logger }: Pick<Platform, 'logger'>,
  { sessions, audit }: Deps,
) {
  const pending = new Set<Promise<void>>();

  async function write(
    user: UserDocument,
    origin: Origin,
    { method, detail }: SignInFailure,
  ): Promise<void> {
    const home = await sessions.findHome(user);
    if (!home) return;
    await audit.write(
      createSystemAuditEvent({
        organizationId: home.organizationId,
        userId: user._id.toHexString(),
        userEmail: user.email,
        userRole: home.role,
        action: 'auth.login',
        resource: 'session',
        status: 'failure',
        detail,
        metadata: { method },
        ipAddress: origin.ip || null,
        userAgent: origin.userAgent,
      }),
    );
  }

  return {
    recordFailure(user: UserDocument, origin: Origin, failure: SignInFailure): void {
      const writing = write(user, origin, failure)
        .catch((error: unknown) => logger.error({ err: error }, 'failed sign-in not audited'))
        .finally(() => pending.delete(writing));
      pending.add(writing);
    },

    /** Resolves when every failure has been audited. */
    async settle(): Promise<void> {
      await Promise.all(pending);
    },
  };
}
export type SignInFailures = ReturnType<typeof createSignInFailures>;

/** Returns the error code that the audit entry of a failed sign-in shows. */
export function toFailureDetail(error: unknown): string {
  return error instanceof AppError ? error.code : 'fault';
}
