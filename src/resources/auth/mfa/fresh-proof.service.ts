// A fresh proof of who somebody is, which the second factor and its backup codes ask for: a session alone may be in other hands by now.
import type { Platform } from '../../../composition/platform.ts';
import type { User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import { startOf } from '../sessions/session-lifetime.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { CodeService } from './codes.service.ts';
import type { TryService } from './tries.service.ts';

type Deps = Pick<Platform, 'models' | 'passwords' | 'clock'> & {
  codes: CodeService;
  tries: TryService;
  sessions: SessionService;
};

/** What the request brings; nothing where the sign-in itself was a moment ago. */
export interface GivenProof {
  code?: string | undefined;
  password?: string | undefined;
}

/** So long after a sign-in nothing has to be proved again. */
const FRESH_MS = 10 * 60_000;

export function createFreshProofService(deps: Deps) {
  const { models, passwords, clock, codes, tries, sessions } = deps;

  /** Whether the session began a moment ago, with the second factor where there is one. */
  async function isFresh(jti: string, { mfa }: UserDocument): Promise<boolean> {
    const { authenticatedAt, secondFactor } = startOf(await sessions.find(jti));
    const gaveCode = secondFactor === 'totp' || secondFactor === 'backup_code';
    const age = clock.now().getTime() - authenticatedAt.getTime();
    return age < FRESH_MS && (gaveCode || !mfa.enabled);
  }

  /** @throws AppError `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED` */
  async function requireCode(userId: string, code: string): Promise<void> {
    await codes.spend(await tries.take(userId, 'session'), code);
  }

  /** @throws AppError `INVALID_CREDENTIALS` */
  async function requirePassword(stored: string | null, password: string): Promise<void> {
    if (!(await passwords.verify(stored, password)))
      throw new AppError('INVALID_CREDENTIALS', 'Password is incorrect');
  }

  return {
    /**
     * While the second factor is on, a code of it; else the password. Either may be left out within ten minutes of a sign-in that
     * gave it. @throws AppError `FORBIDDEN` without a proof, `INVALID_MFA_CODE`, `INVALID_CREDENTIALS`, `RATE_LIMIT_EXCEEDED`
     */
    async require({ userId, jti }: User, { code, password }: GivenProof): Promise<UserDocument> {
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
      const { mfa, passwordHash } = user;
      if (mfa.enabled && code !== undefined) await requireCode(userId, code);
      else if (!mfa.enabled && password !== undefined)
        await requirePassword(passwordHash, password);
      else if (!(await isFresh(jti, user)))
        throw new AppError(
          'FORBIDDEN',
          mfa.enabled
            ? 'Send a code of the second factor, or sign in again'
            : 'Send the password, or sign in again',
        );
      return user;
    },
  };
}
export type FreshProofService = ReturnType<typeof createFreshProofService>;
