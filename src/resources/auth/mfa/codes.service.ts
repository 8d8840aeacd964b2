// Codes of the second factor: each is accepted once, and wrong ones are counted wherever they come from.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../accounts/users.model.ts';

type Deps = Pick<Platform, 'models' | 'vault' | 'totp' | 'clock' | 'randomCode'>;

/** Wrong codes that a user has, wherever they come from. */
const TRIES_PER_USER = 10;
const TRIES_WINDOW_SECONDS = 3600;
const BACKUP_CODES = 10;

/** What a sealed secret and a digest of a backup code are bound to. */
const secretAad = (userId: string): string => `user ${userId} second factor`;
const backupAad = (userId: string): string => `user ${userId} backup code`;

export function createCodeService({ models, vault, totp, clock, randomCode }: Deps) {
  /** Uses a code of the authenticator up: every time step is accepted once. */
  async function spendTotp({ _id, mfa }: UserDocument, code: string): Promise<boolean> {
    if (mfa.secret === null) return false;
    const step = totp.stepOf(vault.open(mfa.secret, secretAad(_id.toHexString())), code);
    if (step === null) return false;
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.lastStep': { $lt: step } },
      { $set: { 'mfa.lastStep': step, 'mfa.failures': 0 } },
    );
    return modifiedCount === 1;
  }

  async function spendBackupCode({ _id }: UserDocument, code: string): Promise<boolean> {
    const digests = { $in: vault.digests(code, backupAad(_id.toHexString())) };
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.backupCodes': digests },
      { $pull: { 'mfa.backupCodes': digests }, $set: { 'mfa.failures': 0 } },
    );
    return modifiedCount === 1;
  }

  /** The user has no try left. */
  async function triesSpent(userId: string): Promise<AppError> {
    const now = clock.now();
    const user = await models.users.findById(userId).lean<UserDocument>();
    if (!user) return new AppError('UNAUTHORIZED_NO_USER');
    const since = user.mfa.failingSince ?? now;
    const passed = Math.floor((now.getTime() - since.getTime()) / 1000);
    return new AppError('RATE_LIMIT_EXCEEDED', 'Too many wrong codes', {
      data: { limit: TRIES_PER_USER, windowSeconds: TRIES_WINDOW_SECONDS },
      headers: { 'Retry-After': String(Math.max(1, TRIES_WINDOW_SECONDS - passed)) },
    });
  }

  return {
    /** A new secret, shown and not yet active: what to keep of it. */
    sealSecret: (userId: string, secret: string): string => vault.seal(secret, secretAad(userId)),

    /** The time step of a code, by a secret that is not active yet; null: the code is wrong. */
    stepOfPending: (userId: string, pendingSecret: string, code: string): number | null =>
      totp.stepOf(vault.open(pendingSecret, secretAad(userId)), code),

    /** Takes one of the user's tries before the code is looked at, so that simultaneous guesses count too. @throws AppError `RATE_LIMIT_EXCEEDED` */
    async takeTry(userId: string): Promise<UserDocument> {
      const now = clock.now();
      const windowStart = new Date(now.getTime() - TRIES_WINDOW_SECONDS * 1000);
      await models.users.updateOne(
        { _id: userId, 'mfa.failingSince': { $not: { $gt: windowStart } } },
        { $set: { 'mfa.failures': 0, 'mfa.failingSince': now } },
      );
      const user = await models.users
        .findOneAndUpdate(
          { _id: userId, 'mfa.failures': { $lt: TRIES_PER_USER } },
          { $inc: { 'mfa.failures': 1 } },
          { returnDocument: 'after' },
        )
        .lean<UserDocument>();
      if (!user) throw await triesSpent(userId);
      return user;
    },

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
