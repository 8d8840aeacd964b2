// The second factor: set up, switched on and off, given at sign-in; its backup codes (document 1, sections 3 and 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import type { User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { SignInFailures } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { Origin, SessionService, SignOnProof } from '../sessions/sessions.service.ts';
import type { disableInput, mfaLoginInput } from './mfa.schemas.ts';

type Deps = Pick<
  Platform,
  'models' | 'tempTokens' | 'passwords' | 'vault' | 'totp' | 'clock' | 'randomCode' | 'transaction'
> & {
  sessions: SessionService;
  failures: SignInFailures;
  oneTimeTokens: OneTimeTokenService;
};

/** Wrong codes that end a temp token. */
const TRIES_PER_TOKEN = 5;
/** Wrong codes that a user has, wherever they come from. */
const TRIES_PER_USER = 10;
const TRIES_WINDOW_SECONDS = 3600;
const BACKUP_CODES = 10;

const secretPlace = (userId: string): string => `user ${userId} second factor`;
const backupPlace = (userId: string): string => `user ${userId} backup code`;
const OFF = { enabled: false, secret: null, pendingSecret: null, failures: 0, backupCodes: [] };

export function createMfaService(deps: Deps) {
  const {
    models,
    sessions,
    failures,
    oneTimeTokens,
    tempTokens,
    passwords,
    vault,
    totp,
    clock,
    transaction,
  } = deps;

  async function accountOf(userId: string): Promise<UserDocument> {
    const user = await models.users.findById(userId).lean<UserDocument>();
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    return user;
  }

  /** Takes one of the user's tries before the code is looked at, so that simultaneous guesses count too. @throws AppError `RATE_LIMIT_EXCEEDED` */
  async function takeTry(userId: string): Promise<UserDocument> {
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
    if (user) return user;
    const { mfa } = await accountOf(userId);
    const wait =
      TRIES_WINDOW_SECONDS -
      Math.floor((now.getTime() - (mfa.failingSince ?? now).getTime()) / 1000);
    throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many wrong codes', {
      data: { limit: TRIES_PER_USER, windowSeconds: TRIES_WINDOW_SECONDS },
      headers: { 'Retry-After': String(Math.max(1, wait)) },
    });
  }

  /** Uses a code of the authenticator up: every time step is accepted once. */
  async function spendTotp({ _id, mfa }: UserDocument, code: string): Promise<boolean> {
    if (mfa.secret === null) return false;
    const step = totp.stepOf(vault.open(mfa.secret, secretPlace(_id.toHexString())), code);
    if (step === null) return false;
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.lastStep': { $lt: step } },
      { $set: { 'mfa.lastStep': step, 'mfa.failures': 0 } },
    );
    return modifiedCount === 1;
  }

  async function spendBackupCode({ _id }: UserDocument, code: string): Promise<boolean> {
    const digests = { $in: vault.digests(code, backupPlace(_id.toHexString())) };
    const { modifiedCount } = await models.users.updateOne(
      { _id, 'mfa.enabled': true, 'mfa.backupCodes': digests },
      { $pull: { 'mfa.backupCodes': digests }, $set: { 'mfa.failures': 0 } },
    );
    return modifiedCount === 1;
  }

  /** @throws AppError `INVALID_MFA_CODE` */
  async function spend(user: UserDocument, code: string): Promise<'totp' | 'backup_code'> {
    if (await spendTotp(user, code)) return 'totp';
    if (await spendBackupCode(user, code)) return 'backup_code';
    throw new AppError('INVALID_MFA_CODE');
  }

  /** What became of a temp token, told as of any other token. */
  function ended(error: unknown): never {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(
      error.code === 'EXPIRED' ? 'TOKEN_EXPIRED' : 'TOKEN_REVOKED',
      'Sign in again',
    );
  }

  /** The temp token's own life. @throws AppError `TOKEN_VERIFICATION_FAILED`, `TOKEN_EXPIRED`, `TOKEN_REVOKED` when used or burnt */
  async function takeTempToken(tempToken: string) {
    const { sub: userId, jti } = tempTokens.read(tempToken);
    const { facts } = await oneTimeTokens
      .attempt('second-factor', jti, TRIES_PER_TOKEN)
      .catch(ended);
    const { method, provider, signOn } = facts as {
      method: string;
      provider?: string | null;
      signOn?: SignOnProof | null;
    };
    // What is absent stays absent.
    return {
      userId,
      jti,
      proof: { method, ...(provider != null && { provider }), ...(signOn != null && { signOn }) },
    };
  }

  return {
    /** A new secret, not active until a code proves it. @throws AppError `INVALID_OPERATION` when the second factor is on */
    async setup({ userId, email }: User) {
      const secret = totp.newSecret();
      const { matchedCount } = await models.users.updateOne(
        { _id: userId, 'mfa.enabled': false },
        { $set: { 'mfa.pendingSecret': vault.seal(secret, secretPlace(userId)) } },
      );
      if (matchedCount === 0)
        throw new AppError('INVALID_OPERATION', 'The second factor is on already');
      const otpauthUrl = totp.uriOf(secret, email);
      return { secret, otpauthUrl, qrCode: await totp.qrCodeOf(otpauthUrl) };
    },

    /** @throws AppError `INVALID_OPERATION` without a set-up, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED` */
    async enable({ userId }: User, code: string) {
      const { mfa } = await takeTry(userId);
      const { pendingSecret } = mfa;
      if (mfa.enabled || pendingSecret === null)
        throw new AppError('INVALID_OPERATION', 'Set the second factor up first');
      const step = totp.stepOf(vault.open(pendingSecret, secretPlace(userId)), code);
      if (step === null) throw new AppError('INVALID_MFA_CODE');
      const on = {
        enabled: true,
        secret: pendingSecret,
        pendingSecret: null,
        lastStep: step,
        failures: 0,
      };
      const { matchedCount } = await models.users.updateOne(
        { _id: userId, 'mfa.enabled': false, 'mfa.pendingSecret': pendingSecret },
        {
          $set: Object.fromEntries(
            Object.entries(on).map(([name, value]) => [`mfa.${name}`, value]),
          ),
        },
      );
      if (matchedCount === 0) throw new AppError('CONFLICT');
      return { mfaEnabled: true };
    },

    /** With a code of the authenticator; or with a backup code and the password. @throws AppError `INVALID_OPERATION`, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED` */
    async disable({ userId }: User, { code, password }: z.output<typeof disableInput>) {
      const user = await takeTry(userId);
      if (!user.mfa.enabled) throw new AppError('INVALID_OPERATION', 'The second factor is off');
      const known = password !== undefined && (await passwords.verify(user.passwordHash, password));
      await transaction(async () => {
        const proved =
          (await spendTotp(user, code)) || (known && (await spendBackupCode(user, code)));
        if (!proved) throw new AppError('INVALID_MFA_CODE');
        const off = Object.entries(OFF).map(([name, value]) => [`mfa.${name}`, value]);
        await models.users.updateOne({ _id: userId }, { $set: Object.fromEntries(off) });
      });
      return { mfaEnabled: false };
    },

    /** The second step of a sign-in. @throws AppError of the temp token; `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`, `ACCOUNT_DEACTIVATED` */
    async login({ tempToken, code }: z.output<typeof mfaLoginInput>, origin: Origin) {
      const { userId, jti, proof } = await takeTempToken(tempToken);
      const user = await accountOf(userId);
      return takeTry(userId)
        .then((current) =>
          transaction(async () => {
            const secondFactor = await spend(current, code);
            await oneTimeTokens.use('second-factor', jti);
            return sessions.signIn(current, origin, { ...proof, secondFactor });
          }),
        )
        .catch((error: unknown) => {
          const detail = error instanceof AppError ? error.code : 'fault';
          failures.note(user, origin, { method: proof.method, detail });
          throw error instanceof AppError && error.code === 'INVALID_TOKEN'
            ? new AppError('TOKEN_REVOKED')
            : error;
        });
    },

    /** Looks whether a temp token still waits for its code. @throws AppError of the temp token */
    async requireWaiting(tempToken: string): Promise<void> {
      await oneTimeTokens.peek('second-factor', tempTokens.read(tempToken).jti).catch(ended);
    },

    /** New codes, shown once; every earlier one is void. */
    async newBackupCodes({ userId }: User) {
      const codes = Array.from({ length: BACKUP_CODES }, () => deps.randomCode());
      const digests = codes.map(
        (code) => vault.digests(code.replace('-', ''), backupPlace(userId))[0],
      );
      await models.users.updateOne({ _id: userId }, { $set: { 'mfa.backupCodes': digests } });
      return { codes };
    },
  };
}
export type MfaService = ReturnType<typeof createMfaService>;
