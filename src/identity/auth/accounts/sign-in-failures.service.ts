// Audits failed sign-ins of known accounts without delaying the answer, so its timing does not reveal known accounts.
import type { Platform } from '../../../platform/platform.ts';
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import { AppError } from '../../../errors.ts';
import { writeAudit } from '../../audit/audit.service.ts';
import type { Origin } from '../sessions/sessions.service.ts';
import type { UserDocument } from './users.model.ts';
import { findHome } from '../sessions/sign-in.service.ts';
import { perInstance } from '../../../platform/per-instance.ts';

export interface SignInFailure {
  origin: Origin;
  method: string;
  detail: string;
}

const openPendingFailures = perInstance(() => new Set<Promise<void>>());

export function recordSignInFailure(
  platform: Platform,
  user: UserDocument,
  failure: SignInFailure,
): void {
  const writing = writeFailure(platform, user, failure)
    .catch((error: unknown) => platform.logger.error({ err: error }, 'failed sign-in not audited'))
    .finally(() => openPendingFailures(platform).delete(writing));
  openPendingFailures(platform).add(writing);
}

/** Resolves when every failure has been audited. */
export async function settleSignInFailures(platform: Platform): Promise<void> {
  await Promise.all(openPendingFailures(platform));
}

async function writeFailure(
  platform: Platform,
  user: UserDocument,
  { origin, method, detail }: SignInFailure,
): Promise<void> {
  const home = await findHome(platform, user);
  if (!home) return;
  await writeAudit(
    platform,
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

/** Runs a sign-in as a transaction; its failure is audited. */
export function runSignIn<T>(
  platform: Platform,
  { user, ...attempt }: { user: UserDocument } & Omit<SignInFailure, 'detail'>,
  run: () => Promise<T>,
): Promise<T> {
  return platform.transaction(run).catch((error: unknown) => {
    recordSignInFailure(platform, user, { ...attempt, detail: toFailureDetail(error) });
    throw error;
  });
}

/** Returns the error code that the audit entry of a failed sign-in shows. */
export function toFailureDetail(error: unknown): string {
  return error instanceof AppError ? error.code : 'fault';
}
