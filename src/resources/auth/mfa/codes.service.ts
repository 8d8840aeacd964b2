// Codes of the second factor: each is accepted once.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../accounts/users.model.ts';

type Deps = Pick<Platform, 'models' | 'vault' | 'totp' | 'randomCode'>;

const BACKUP_CODES = 10;
/** A right code ends the count. */
const NO_FAILURES = { 'mfa.failures': 0, 'mfa.failuresInside': 0 };

/** What a sealed secret and a digest of a backup code are bound to. */
const secretAad = (userId: string): string => `user ${userId} second factor`;
const backupAad = (userId: string): string => `user ${userId} backup code`;

export function createCodeService({ models, vault, totp, randomCode }: Deps) {
  /** Uses a code of the authenticator up: every time step is accepted once. */
  async function spendTotp({ _id, mfa }: UserDocument, code: string): Promise<boolean> {
    if (mfa.secret === null) return false;
    const step = totp.stepOf(vault.open(mfa.secret, secretAad(_id.toHexString())), code);
    if (step === null) return false;
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.lastStep': { $lt: step } },
      { $set: { 'mfa.lastStep': step, ...NO_FAILURES } },
    );
    return modifiedCount === 1;
  }

  async function spendBackupCode({ _id }: UserDocument, code: string): Promise<boolean> {
    const digests = { $in: vault.digests(code, backupAad(_id.toHexString())) };
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.backupCodes': digests },
      { $pull: { 'mfa.backupCodes': digests }, $set: NO_FAILURES },
    );
    return modifiedCount === 1;
  }

  return {
    /** A new secret, shown and not yet active: what to keep of it. */
    sealSecret: (userId: string, secret: string): string => vault.seal(secret, secretAad(userId)),

    /** The time step of a code, by a secret that is not active yet; null: the code is wrong. */
    stepOfPending: (userId: string, pendingSecret: string, code: string): number | null =>
      totp.stepOf(vault.open(pendingSecret, secretAad(userId)), code),

    spendTotp,
    spendBackupCode,

    /** Uses a code of either kind up. @throws AppError `INVALID_MFA_CODE` */
    async spend(user: UserDocument, code: string): Promise<'totp' | 'backup_code'> {
      if (await spendTotp(user, code)) return 'totp';
      if (await spendBackupCode(user, code)) return 'backup_code';
      throw new AppError('INVALID_MFA_CODE');
    },

    /** New backup codes, which are in this answer only; every earlier one is void. @throws AppError `CONFLICT` when the factor was switched meanwhile */
    async replaceBackupCodes({ _id, mfa }: UserDocument): Promise<string[]> {
      const userId = _id.toHexString();
      const codes = Array.from({ length: BACKUP_CODES }, () => randomCode());
      const digests = codes.map(
        (code) => vault.digests(code.replace('-', ''), backupAad(userId))[0],
      );
      const { matchedCount } = await models.users.updateOne(
        { _id, 'mfa.enabled': mfa.enabled },
        { $set: { 'mfa.backupCodes': digests } },
      );
      if (matchedCount === 0) throw new AppError('CONFLICT');
      return codes;
    },
  };
}
export type CodeService = ReturnType<typeof createCodeService>;
