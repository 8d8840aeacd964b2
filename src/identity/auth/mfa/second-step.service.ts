// The second step of a sign-in: a temp token and a code give a session (document 1, section 3).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { AppError, type Code } from '../../../errors.ts';
import { toFailureDetail, recordSignInFailure } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import { findToken, consumeToken, attemptToken } from '../email-links/one-time-tokens.service.ts';
import type { SecondFactorKind } from '../sessions/sessions.model.ts';
import type {
  Origin,
  Proof,
  SecondStep,
  SignedIn,
  SignOnProof,
} from '../sessions/sessions.service.ts';
import { consumeCode } from './codes.service.ts';
import {
  type AuthenticatorSetup,
  beginAuthenticator,
  completeAuthenticator,
} from './enrolment.service.ts';
import type { mfaLoginInput } from './mfa.schemas.ts';
import { takeTry } from './tries.service.ts';
import { signIn } from '../sessions/sign-in.service.ts';

/** The completed first step that a temp token stands for. */
export interface FirstStep {
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

/** @throws AppError of the temp token; `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`, `ACCOUNT_DEACTIVATED` */
export async function completeSecondStep(
  platform: Platform,
  { tempToken, code }: z.output<typeof mfaLoginInput>,
  origin: Origin,
): Promise<SignedIn | SecondStep> {
  const { userId, jti, proof, mustEnrol } = await takeTempToken(platform, tempToken);
  const user = await platform.models.users.findById(userId).lean<UserDocument>();
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  try {
    const current = await takeTry(platform, userId, 'signIn');
    const entering = platform.transaction(async () => {
      const secondFactor = await giveCode(platform, current, code, mustEnrol);
      await consumeToken(platform, 'second-factor', jti);
      return signIn(platform, current, { origin, proof: { ...proof, secondFactor } });
    });
    return await entering.catch((error: unknown) => warnOwner(platform, current, error));
  } catch (error) {
    recordSignInFailure(platform, user, {
      origin,
      method: proof.method,
      detail: toFailureDetail(error),
    });
    throw isCode(error, 'INVALID_TOKEN') ? new AppError('TOKEN_REVOKED') : error;
  }
}

/**
 * Begins the enrolment that a temp token requires; null: the user has an authenticator.
 * @throws AppError of the temp token
 */
export async function beginRequiredEnrolment(
  platform: Platform,
  tempToken: string,
): Promise<AuthenticatorSetup | null> {
  const { sub, jti } = platform.tempTokens.read(tempToken);
  const { facts } = await findToken(platform, 'second-factor', jti).catch(refuseEnded);
  const user = await platform.models.users.findById(sub).lean<UserDocument>();
  if (!user || facts.mustEnrol !== true || user.mfa.enabled) return null;
  return beginAuthenticator(platform, sub, user.email);
}

/**
 * Counts one of the token's attempts.
 * @throws AppError `TOKEN_VERIFICATION_FAILED`, `TOKEN_EXPIRED`, `TOKEN_REVOKED` when used or burnt
 */
export async function takeTempToken(platform: Platform, tempToken: string): Promise<FirstStep> {
  const { sub: userId, jti } = platform.tempTokens.read(tempToken);
  // A transaction for the reason given in `tries.service.ts`.
  const { facts } = await platform
    .transaction(() =>
      attemptToken(platform, { purpose: 'second-factor', raw: jti }, TRIES_PER_TOKEN),
    )
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
  return { userId, jti, proof, mustEnrol: facts.mustEnrol === true };
}

/** Checks the code of the authenticator, or completes the enrolment of one that this step sets up. */
async function giveCode(
  platform: Platform,
  user: UserDocument,
  code: string,
  mustEnrol: boolean,
): Promise<SecondFactorKind> {
  if (!mustEnrol || user.mfa.enabled) return consumeCode(platform, user, code);
  await completeAuthenticator(platform, user, code);
  return 'totp';
}

/** Warns the owner by mail, because a code guesser knows the first factor. @throws the error */
async function warnOwner(
  { queueMail }: Platform,
  { email, mfa }: UserDocument,
  error: unknown,
): Promise<never> {
  if (isCode(error, 'INVALID_MFA_CODE') && mfa.failures === WARNED_AFTER)
    await queueMail(null, { kind: 'wrong-codes', email });
  throw error;
}

const isCode = (error: unknown, code: Code): boolean =>
  error instanceof AppError && error.code === code;

/** Refuses an ended temp token with the codes of other tokens. */
export function refuseEnded(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const code = error.code === 'EXPIRED' ? 'TOKEN_EXPIRED' : 'TOKEN_REVOKED';
  throw new AppError(code, 'Sign in again');
}
