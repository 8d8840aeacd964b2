// Enrolment of an authenticator: its secret is shown once, and becomes active when a code has proved it.
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { SecondFactor, UserDocument } from '../accounts/users.model.ts';
import { encryptFactorSecret, readPendingStep } from './codes.service.ts';
import type { setupView } from './mfa.schemas.ts';

export type AuthenticatorSetup = z.input<typeof setupView>;

/** The second factor before an enrolment, and after it is switched off. */
export const NO_FACTOR = {
  enabled: false,
  secret: null,
  pendingSecret: null,
  failures: 0,
  failuresInside: 0,
  backupCodes: [],
};

/**
 * Creates a secret, not active until a code proves it.
 * @throws AppError `INVALID_OPERATION` when the second factor is on
 */
export async function beginAuthenticator(
  platform: Platform,
  userId: string,
  email: string,
): Promise<AuthenticatorSetup> {
  const secret = platform.totp.generateSecret();
  const { matchedCount } = await platform.models.users.updateOne(
    { _id: userId, 'mfa.enabled': false },
    { $set: toMfaChange({ pendingSecret: encryptFactorSecret(platform, userId, secret) }) },
  );
  if (matchedCount === 0)
    throw new AppError('INVALID_OPERATION', 'The second factor is on already');
  const otpauthUrl = platform.totp.createUri(secret, email);
  return { secret, otpauthUrl, qrCode: await platform.totp.renderQrCode(otpauthUrl) };
}

/**
 * Switches it on; earlier backup codes stop working.
 * @throws AppError `INVALID_OPERATION` without a set-up, `INVALID_MFA_CODE`, `CONFLICT`
 */
export async function completeAuthenticator(
  platform: Platform,
  { _id, mfa }: UserDocument,
  code: string,
): Promise<void> {
  const { pendingSecret } = mfa;
  if (mfa.enabled || pendingSecret === null)
    throw new AppError('INVALID_OPERATION', 'Set the second factor up first');
  const lastStep = readPendingStep(platform, _id.toHexString(), { pendingSecret, code });
  if (lastStep === null) throw new AppError('INVALID_MFA_CODE');
  const on = { ...NO_FACTOR, enabled: true, secret: pendingSecret };
  const { matchedCount } = await platform.models.users.updateOne(
    { _id, 'mfa.enabled': false, 'mfa.pendingSecret': pendingSecret },
    { $set: toMfaChange({ ...on, lastStep }) },
  );
  if (matchedCount === 0) throw new AppError('CONFLICT');
}

/** Returns the update of some members of the second factor. */
export function toMfaChange(change: Partial<SecondFactor>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [`mfa.${name}`, value]));
}
