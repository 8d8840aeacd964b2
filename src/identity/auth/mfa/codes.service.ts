// Codes of the second factor: each is accepted once.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../accounts/users.model.ts';

const BACKUP_CODES = 10;
/** A correct code resets the counts. */
const NO_FAILURES = { 'mfa.failures': 0, 'mfa.failuresInside': 0 };

/** Additional authenticated data that binds a sealed secret or the digest of a backup code to its user. */
const toSecretAad = (userId: string): string => `user ${userId} second factor`;
const toBackupAad = (userId: string): string => `user ${userId} backup code`;

/** Seals a new secret, which is not active yet, for storage. */
export function encryptFactorSecret({ vault }: Platform, userId: string, secret: string): string {
  return vault.encrypt(secret, toSecretAad(userId));
}

/** Returns the time step of a code for a secret that is not active yet; null: the code is wrong. */
export function readPendingStep(
  { totp, vault }: Platform,
  userId: string,
  { pendingSecret, code }: { pendingSecret: string; code: string },
): number | null {
  return totp.findStep(vault.decrypt(pendingSecret, toSecretAad(userId)), code);
}

/** Consumes a code of the authenticator: every time step is accepted once. */
export async function consumeTotp(
  { totp, vault, models }: Platform,
  { _id, mfa }: UserDocument,
  code: string,
): Promise<boolean> {
  if (mfa.secret === null) return false;
  const step = totp.findStep(vault.decrypt(mfa.secret, toSecretAad(_id.toHexString())), code);
  if (step === null) return false;
  const { modifiedCount } = await models.users.updateOne(
    { _id, 'mfa.enabled': true, 'mfa.lastStep': { $lt: step } },
    { $set: { 'mfa.lastStep': step, ...NO_FAILURES } },
  );
  return modifiedCount === 1;
}

export async function consumeBackupCode(
  { vault, models }: Platform,
  { _id }: UserDocument,
  code: string,
): Promise<boolean> {
  const digests = { $in: vault.computeDigests(code, toBackupAad(_id.toHexString())) };
  const { modifiedCount } = await models.users.updateOne(
    { _id, 'mfa.enabled': true, 'mfa.backupCodes': digests },
    { $pull: { 'mfa.backupCodes': digests }, $set: NO_FAILURES },
  );
  return modifiedCount === 1;
}

/** Consumes a code of either kind. @throws AppError `INVALID_MFA_CODE` */
export async function consumeCode(
  platform: Platform,
  user: UserDocument,
  code: string,
): Promise<'totp' | 'backup_code'> {
  if (await consumeTotp(platform, user, code)) return 'totp';
  if (await consumeBackupCode(platform, user, code)) return 'backup_code';
  throw new AppError('INVALID_MFA_CODE');
}

/**
 * Creates backup codes, which are not stored; earlier ones stop working.
 * @throws AppError `CONFLICT` when the factor was switched in the meantime
 */
export async function createBackupCodes(
  { generateCode, vault, models }: Platform,
  { _id, mfa }: UserDocument,
): Promise<string[]> {
  const userId = _id.toHexString();
  const codes = Array.from({ length: BACKUP_CODES }, () => generateCode());
  const digests = codes.map(
    (code) => vault.computeDigests(code.replace('-', ''), toBackupAad(userId))[0],
  );
  const { matchedCount } = await models.users.updateOne(
    { _id, 'mfa.enabled': mfa.enabled },
    { $set: { 'mfa.backupCodes': digests } },
  );
  if (matchedCount === 0) throw new AppError('CONFLICT');
  return codes;
}
