// Codes of the second factor: each is accepted once.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../accounts/users.model.ts';

type Deps = Pick<Platform, 'models' | 'vault' | 'totp' | 'generateCode'>;

const BACKUP_CODES = 10;
/** A correct code resets the counts. */
const NO_FAILURES = { 'mfa.failures': 0, 'mfa.failuresInside': 0 };

/** Additional authenticated data that binds a sealed secret or the digest of a backup code to its user. */
const toSecretAad = (userId: string): string => `user ${userId} second factor`;
const toBackupAad = (userId: string): string => `user ${userId} backup code`;

export function createCodeService({ models, vault, totp, generateCode: randomCode }: Deps) {
  /** Consumes a code of the authenticator: every time step is accepted once. */
  async function consumeTotp({ _id, mfa }: UserDocument, code: string): Promise<boolean> {
    if (mfa.secret === null) return false;
    const step = totp.findStep(vault.decrypt(mfa.secret, toSecretAad(_id.toHexString())), code);
    if (step === null) return false;
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.lastStep': { $lt: step } },
      { $set: { 'mfa.lastStep': step, ...NO_FAILURES } },
    );
    return modifiedCount === 1;
  }

  async function consumeBackupCode({ _id }: UserDocument, code: string): Promise<boolean> {
    const digests = { $in: vault.computeDigests(code, toBackupAad(_id.toHexString())) };
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.backupCodes': digests },
      { $pull: { 'mfa.backupCodes': digests }, $set: NO_FAILURES },
    );
    return modifiedCount === 1;
  }

  return {
    /** Seals a new secret, which is not active yet, for storage. */
    encryptSecret: (userId: string, secret: string): string =>
      vault.encrypt(secret, toSecretAad(userId)),

    /** Returns the time step of a code for a secret that is not active yet; null: the code is wrong. */
    readPendingStep: (userId: string, pendingSecret: string, code: string): number | null =>
      totp.findStep(vault.decrypt(pendingSecret, toSecretAad(userId)), code),

    consumeTotp,
    consumeBackupCode,

    /** Consumes a code of either kind. @throws AppError `INVALID_MFA_CODE` */
    async consumeCode(user: UserDocument, code: string): Promise<'totp' | 'backup_code'> {
      if (await consumeTotp(user, code)) return 'totp';
      if (await consumeBackupCode(user, code)) return 'backup_code';
      throw new AppError('INVALID_MFA_CODE');
    },

    /**
     * Creates backup codes, which are not stored; earlier ones stop working.
     * @throws AppError `CONFLICT` when the factor was switched in the meantime
     */
    async replaceBackupCodes({ _id, mfa }: UserDocument): Promise<string[]> {
      const userId = _id.toHexString();
      const codes = Array.from({ length: BACKUP_CODES }, () => randomCode());
      const digests = codes.map(
        (code) => vault.computeDigests(code.replace('-', ''), toBackupAad(userId))[0],
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
