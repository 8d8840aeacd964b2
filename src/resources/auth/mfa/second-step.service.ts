// The second step of a sign-in: a temp token and a code give a session (document 1, section 3).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import { detailOf, type SignInFailures } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type {
  Origin,
  Proof,
  SecondStep,
  SessionService,
  SignedIn,
  SignOnProof,
} from '../sessions/sessions.service.ts';
import type { CodeService } from './codes.service.ts';
import type { mfaLoginInput } from './mfa.schemas.ts';

type Deps = Pick<Platform, 'models' | 'tempTokens' | 'transaction'> & {
  codes: CodeService;
  sessions: SessionService;
  failures: SignInFailures;
  oneTimeTokens: OneTimeTokenService;
};

/** What a temp token stands for. */
interface FirstStep {
  userId: string;
  jti: string;
  proof: Omit<Proof, 'secondFactor'>;
}

/** Wrong codes that end a temp token. */
const TRIES_PER_TOKEN = 5;

export function createSecondStepService(deps: Deps) {
  const { models, codes, sessions, failures, oneTimeTokens, tempTokens, transaction } = deps;

  /** Takes one of the token's tries. @throws AppError `TOKEN_VERIFICATION_FAILED`, `TOKEN_EXPIRED`, `TOKEN_REVOKED` when used or burnt */
  async function takeTempToken(tempToken: string): Promise<FirstStep> {
    const { sub: userId, jti } = tempTokens.read(tempToken);
    const { facts } = await oneTimeTokens
      .attempt('second-factor', jti, TRIES_PER_TOKEN)
      .catch(refuseEnded);
    const { method, provider, signOn } = facts as {
      method: string;
      provider?: string | null;
      signOn?: SignOnProof | null;
    };
    const proof = {
      method,
      ...(provider != null && { provider }),
      ...(signOn != null && { signOn }),
    };
    return { userId, jti, proof };
  }

  return {
    /** @throws AppError of the temp token; `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`, `ACCOUNT_DEACTIVATED` */
    async login(
      { tempToken, code }: z.output<typeof mfaLoginInput>,
      origin: Origin,
    ): Promise<SignedIn | SecondStep> {
      const { userId, jti, proof } = await takeTempToken(tempToken);
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
      return codes
        .takeTry(userId)
        .then((current) =>
          transaction(async () => {
            const secondFactor = await codes.spend(current, code);
            await oneTimeTokens.use('second-factor', jti);
            return sessions.signIn(current, origin, { ...proof, secondFactor });
          }),
        )
        .catch((error: unknown) => {
          failures.note(user, origin, { method: proof.method, detail: detailOf(error) });
          throw error instanceof AppError && error.code === 'INVALID_TOKEN'
            ? new AppError('TOKEN_REVOKED')
            : error;
        });
    },

    /** Looks whether a temp token still waits for its code. @throws AppError of the temp token */
    async requireWaiting(tempToken: string): Promise<void> {
      await oneTimeTokens.peek('second-factor', tempTokens.read(tempToken).jti).catch(refuseEnded);
    },
  };
}
export type SecondStepService = ReturnType<typeof createSecondStepService>;

/** A temp token that has ended is refused like any other token. */
function refuseEnded(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const code = error.code === 'EXPIRED' ? 'TOKEN_EXPIRED' : 'TOKEN_REVOKED';
  throw new AppError(code, 'Sign in again');
}
