// The second factor of an account: set up, switched on and off, and its backup codes (document 1, sections 3 and 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import { listEnterableMemberships } from '../../organization/memberships/memberships.service.ts';
import { listSwitchedOff } from '../../../domain/dual-control/weakened-switches.ts';
import { consumeTotp, consumeBackupCode, createBackupCodes } from './codes.service.ts';
import {
  toMfaChange,
  NO_FACTOR,
  type AuthenticatorSetup,
  beginAuthenticator,
  completeAuthenticator,
} from './enrolment.service.ts';
import { type SubmittedProof, requireFreshProof } from './fresh-proof.service.ts';
import type { disableInput } from './mfa.schemas.ts';
import { takeTry } from './tries.service.ts';
import { recordSecondFactor } from '../sessions/open-sessions.service.ts';
import type { UserContext } from '../../../platform/context.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

interface MfaState {
  mfaEnabled: boolean;
}

/**
 * Creates a secret, not active until a code proves it.
 * @throws AppError `INVALID_OPERATION` when the second factor is on; those of the proof
 */
export async function beginEnrolment(
  ctx: UserContext,
  proof: SubmittedProof,
): Promise<AuthenticatorSetup> {
  const { user } = ctx;
  await requireFreshProof(ctx, proof);
  return beginAuthenticator(ctx.platform, user.userId, user.email);
}

/**
 * Switches the second factor on; earlier backup codes stop working.
 * @throws AppError `INVALID_OPERATION` without a set-up, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`
 */
export async function enableFactor(
  { platform, user: { userId, jti } }: UserContext,
  code: string,
): Promise<MfaState> {
  await completeAuthenticator(platform, await takeTry(platform, userId, 'session'), code);
  await recordSecondFactor(platform, jti);
  return { mfaEnabled: true };
}

/**
 * Requires a code of the authenticator, or a backup code and the password.
 * @throws AppError `INVALID_OPERATION`, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`
 */
export async function disableFactor(
  { platform, user: { userId } }: UserContext,
  { code, password }: z.output<typeof disableInput>,
): Promise<MfaState> {
  const user = await takeTry(platform, userId, 'session');
  if (!user.mfa.enabled) throw new AppError('INVALID_OPERATION', 'The second factor is off');
  const knowsPassword =
    password !== undefined && (await platform.passwords.verify(user.passwordHash, password));
  await platform.transaction(async () => {
    const proved =
      (await consumeTotp(platform, user, code)) ||
      (knowsPassword && (await consumeBackupCode(platform, user, code)));
    if (!proved) throw new AppError('INVALID_MFA_CODE');
    await platform.models.users.updateOne({ _id: userId }, { $set: toMfaChange(NO_FACTOR) });
    await notifyManagers(platform, userId);
  });
  return { mfaEnabled: false };
}

/** Creates codes, shown once; earlier ones stop working. @throws AppError those of the proof */
export async function replaceBackupCodes(
  ctx: UserContext,
  proof: SubmittedProof,
): Promise<{ codes: string[] }> {
  return { codes: await createBackupCodes(ctx.platform, await requireFreshProof(ctx, proof)) };
}

/** Notifies the managers of each organisation that the person manages. */
async function notifyManagers(platform: Platform, userId: string): Promise<void> {
  const change = { before: { managerSecondFactor: true }, after: {} };
  const about = listSwitchedOff(change, '/team');
  for (const { organizationId, role } of await listEnterableMemberships(platform, userId))
    if (MANAGERS.includes(role))
      await getUpperRooms(platform).notify({
        organizationId: organizationId.toHexString(),
        event: 'control.weakened',
        about,
      });
}
