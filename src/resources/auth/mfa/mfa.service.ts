// The second factor of an account: set up, switched on and off, and its backup codes (document 1, sections 3 and 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import type { User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { SecondFactor } from '../accounts/users.model.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { CodeService } from './codes.service.ts';
import type { FreshProofService, GivenProof } from './fresh-proof.service.ts';
import type { disableInput } from './mfa.schemas.ts';
import type { TryService } from './tries.service.ts';

type Deps = Pick<Platform, 'models' | 'passwords' | 'totp' | 'transaction'> & {
  codes: CodeService;
  tries: TryService;
  freshProof: FreshProofService;
  sessions: SessionService;
};

interface SetUp {
  secret: string;
  otpauthUrl: string;
  /** As a data URL. */
  qrCode: string;
}
interface MfaState {
  mfaEnabled: boolean;
}

const OFF = {
  enabled: false,
  secret: null,
  pendingSecret: null,
  failures: 0,
  failuresInside: 0,
  backupCodes: [],
};

export function createMfaService(deps: Deps) {
  const { models, passwords, totp, transaction, codes, tries, freshProof, sessions } = deps;
  return {
    /** A new secret, not active until a code proves it. @throws AppError `INVALID_OPERATION` when the second factor is on; those of the proof */
    async setup(user: User, proof: GivenProof): Promise<SetUp> {
      const { userId, email } = user;
      await freshProof.require(user, proof);
      const secret = totp.newSecret();
      const { matchedCount } = await models.users.updateOne(
        { _id: userId, 'mfa.enabled': false },
        { $set: changeOf({ pendingSecret: codes.sealSecret(userId, secret) }) },
      );
      if (matchedCount === 0)
        throw new AppError('INVALID_OPERATION', 'The second factor is on already');
      const otpauthUrl = totp.uriOf(secret, email);
      return { secret, otpauthUrl, qrCode: await totp.qrCodeOf(otpauthUrl) };
    },

    /** Backup codes from before are void. @throws AppError `INVALID_OPERATION` without a set-up, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED` */
    async enable({ userId, jti }: User, code: string): Promise<MfaState> {
      const { mfa } = await tries.take(userId, 'session');
      const { pendingSecret } = mfa;
      if (mfa.enabled || pendingSecret === null)
        throw new AppError('INVALID_OPERATION', 'Set the second factor up first');
      const lastStep = codes.stepOfPending(userId, pendingSecret, code);
      if (lastStep === null) throw new AppError('INVALID_MFA_CODE');
      const on = { ...OFF, enabled: true, secret: pendingSecret };
      const { matchedCount } = await models.users.updateOne(
        { _id: userId, 'mfa.enabled': false, 'mfa.pendingSecret': pendingSecret },
        { $set: changeOf({ ...on, lastStep }) },
      );
      if (matchedCount === 0) throw new AppError('CONFLICT');
      await sessions.gaveCode(jti);
      return { mfaEnabled: true };
    },

    /** With a code of the authenticator; or with a backup code and the password. @throws AppError `INVALID_OPERATION`, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED` */
    async disable(
      { userId }: User,
      { code, password }: z.output<typeof disableInput>,
    ): Promise<MfaState> {
      const user = await tries.take(userId, 'session');
      if (!user.mfa.enabled) throw new AppError('INVALID_OPERATION', 'The second factor is off');
      const knowsPassword =
        password !== undefined && (await passwords.verify(user.passwordHash, password));
      await transaction(async () => {
        const proved =
          (await codes.spendTotp(user, code)) ||
          (knowsPassword && (await codes.spendBackupCode(user, code)));
        if (!proved) throw new AppError('INVALID_MFA_CODE');
        await models.users.updateOne({ _id: userId }, { $set: changeOf(OFF) });
      });
      return { mfaEnabled: false };
    },

    /** New codes, shown once; every earlier one is void. @throws AppError those of the proof */
    async newBackupCodes(user: User, proof: GivenProof): Promise<{ codes: string[] }> {
      return { codes: await codes.replaceBackupCodes(await freshProof.require(user, proof)) };
    },
  };
}
export type MfaService = ReturnType<typeof createMfaService>;

/** A change of some members of the second factor. */
function changeOf(change: Partial<SecondFactor>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [`mfa.${name}`, value]));
}
