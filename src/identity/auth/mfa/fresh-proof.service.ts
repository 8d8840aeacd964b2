// Fresh proofs of identity, required to change the second factor or its backup codes: a session alone may be stolen.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import { toSessionStart } from '../sessions/session-lifetime.ts';
import { consumeCode } from './codes.service.ts';
import { takeTry } from './tries.service.ts';
import { findSession } from '../sessions/open-sessions.service.ts';
import type { UserContext } from '../../../platform/context.ts';

/** The proof in the request; empty when the sign-in is recent enough. */
export interface SubmittedProof {
  code?: string | undefined;
  password?: string | undefined;
}

/** The time after a sign-in during which no new proof is required. */
const FRESH_MS = 10 * 60_000;
/** Second factors that a person gives to Assay itself. */
const OWN_FACTORS: readonly string[] = ['totp', 'backup_code', 'passkey'];

/**
 * Requires a code while the second factor is on, else the password. Either may be absent within ten minutes of a
 * sign-in that gave it.
 * @throws AppError `FORBIDDEN` without a proof, `INVALID_MFA_CODE`, `INVALID_CREDENTIALS`, `RATE_LIMIT_EXCEEDED`
 */
export async function requireFreshProof(
  { platform, user: { userId, jti } }: UserContext,
  { code, password }: SubmittedProof,
): Promise<UserDocument> {
  const user = await platform.models.users.findById(userId).lean<UserDocument>();
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  const { mfa, passwordHash } = user;
  if (mfa.enabled && code !== undefined) await requireCode(platform, userId, code);
  else if (!mfa.enabled && password !== undefined)
    await requirePassword(platform, passwordHash, password);
  else if (!(await isFresh(platform, jti, user)))
    throw new AppError(
      'FORBIDDEN',
      mfa.enabled
        ? 'Send a code of the second factor, or sign in again'
        : 'Send the password, or sign in again',
    );
  return user;
}

/** Whether the sign-in is recent, and included the second factor if there is one. */
async function isFresh(platform: Platform, jti: string, { mfa }: UserDocument): Promise<boolean> {
  const { authenticatedAt, secondFactor } = toSessionStart(await findSession(platform, jti));
  const gaveCode = secondFactor !== null && OWN_FACTORS.includes(secondFactor);
  const age = platform.clock.now().getTime() - authenticatedAt.getTime();
  return age < FRESH_MS && (gaveCode || !mfa.enabled);
}

/** @throws AppError `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED` */
async function requireCode(platform: Platform, userId: string, code: string): Promise<void> {
  await consumeCode(platform, await takeTry(platform, userId, 'session'), code);
}

/** @throws AppError `INVALID_CREDENTIALS` */
async function requirePassword(
  { passwords }: Platform,
  stored: string | null,
  password: string,
): Promise<void> {
  if (!(await passwords.verify(stored, password)))
    throw new AppError('INVALID_CREDENTIALS', 'Password is incorrect');
}
