// The second step of a sign-in: a temp token and a code give a session (document 1, section 3).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { AppError, type Code } from '../../../errors.ts';
import { toFailureDetail, type SignInFailures } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { SecondFactorKind } from '../sessions/sessions.model.ts';
import type {
  Origin,
  Proof,
  SecondStep,
  SessionService,
  SignedIn,
  SignOnProof,
} from '../sessions/sessions.service.ts';
import type { CodeService } from './codes.service.ts';
import type { EnrolmentService, AuthenticatorSetup } from './enrolment.service.ts';
import type { mfaLoginInput } from './mfa.schemas.ts';
import type { TryService } from './tries.service.ts';

interface Deps {
  codes: CodeService;
  tries: TryService;
  enrolment: EnrolmentService;
  sessions: SessionService;
  failures: SignInFailures;
  oneTimeTokens: OneTimeTokenService;
}

/** The completed first step that a temp token stands for. */
interface FirstStep {
  userId: string;
  jti: string;
  proof: Omit<Proof, 'secondFactor'>;
  /** Whether the organisation requires a second factor and the user has none yet. */
  mustEnrol: boolean;
}

/** Number of wrong codes after which a temp token ends. */
const TRIES_PER_TOKEN = 5;
/** Number of consecutive wrong codes after which the owner gets a mail. */
const WARNED_AFTER = 5;

export function createSecondStepService(
  platform: Pick<Platform, 'models' | 'tempTokens' | 'transaction' | 'queueMail'>,
  deps: Deps,
) {
  const { models, tempTokens, transaction, queueMail } = platform;
  const { codes, tries, enrolment, sessions, failures, oneTimeTokens } = deps;

  /**
   * Counts one of the token's attempts.
   * @throws AppError `TOKEN_VERIFICATION_FAILED`, `TOKEN_EXPIRED`, `TOKEN_REVOKED` when used or burnt
   */
  async function takeTempToken(tempToken: string): Promise<FirstStep> {
    const { sub: userId, jti } = tempTokens.read(tempToken);
    // A transaction for the reason given in `tries.service.ts`.
    const { facts } = await transaction(() =>
      oneTimeTokens.attempt('second-factor', jti, TRIES_PER_TOKEN),
    ).catch(refuseEnded);
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
    return { userId, jti, proof, mustEnrol: facts.mustEnrol === true };
  }

  /** Checks the code of the authenticator, or completes the enrolment of one that this step sets up. */
  async function giveCode(
    user: UserDocument,
    code: string,
    mustEnrol: boolean,
  ): Promise<SecondFactorKind> {
    if (!mustEnrol || user.mfa.enabled) return codes.consumeCode(user, code);
    await enrolment.complete(user, code);
    return 'totp';
  }

  /** Warns the owner by mail, because a code guesser knows the first factor. @throws the error */
  async function warnOwner({ email, mfa }: UserDocument, error: unknown): Promise<never> {
    if (isCode(error, 'INVALID_MFA_CODE') && mfa.failures === WARNED_AFTER)
      await queueMail(null, { kind: 'wrong-codes', email });
    throw error;
  }

  return {
    /** @throws AppError of the temp token; `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`, `ACCOUNT_DEACTIVATED` */
    async login(
      { tempToken, code }: z.output<typeof mfaLoginInput>,
      origin: Origin,
    ): Promise<SignedIn | SecondStep> {
      const { userId, jti, proof, mustEnrol } = await takeTempToken(tempToken);
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
      try {
        const current = await tries.takeTry(userId, 'signIn');
        const signIn = transaction(async () => {
          const secondFactor = await giveCode(current, code, mustEnrol);
          await oneTimeTokens.consumeToken('second-factor', jti);
          return sessions.signIn(current, origin, { ...proof, secondFactor });
        });
        return await signIn.catch((error: unknown) => warnOwner(current, error));
      } catch (error) {
        failures.recordFailure(user, origin, {
          method: proof.method,
          detail: toFailureDetail(error),
        });
        throw isCode(error, 'INVALID_TOKEN') ? new AppError('TOKEN_REVOKED') : error;
      }
    },

    /**
     * Begins the enrolment that a temp token requires; null: the user has an authenticator.
     * @throws AppError of the temp token
     */
    async beginEnrolment(tempToken: string): Promise<AuthenticatorSetup | null> {
      const { sub, jti } = tempTokens.read(tempToken);
      const { facts } = await oneTimeTokens.findToken('second-factor', jti).catch(refuseEnded);
      const user = await models.users.findById(sub).lean<UserDocument>();
      if (!user || facts.mustEnrol !== true || user.mfa.enabled) return null;
      return enrolment.begin(sub, user.email);
    },
  };
}
export type SecondStepService = ReturnType<typeof createSecondStepService>;

const isCode = (error: unknown, code: Code): boolean =>
  error instanceof AppError && error.code === code;

/** Refuses an ended temp token with the codes of other tokens. */
function refuseEnded(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const code = error.code === 'EXPIRED' ? 'TOKEN_EXPIRED' : 'TOKEN_REVOKED';
  throw new AppError(code, 'Sign in again');
}
