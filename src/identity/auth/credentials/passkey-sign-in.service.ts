// Signs people in with passkeys: as the second factor behind a temp token, or as both factors at once.
import type { z } from 'zod';
import type {
  PasskeyAssertion,
  RequestOptions,
} from '../../../domain/identity/passkeys/ceremonies.ts';
import {
  createRequestOptions,
  isAssertionOf,
} from '../../../domain/identity/passkeys/ceremonies.ts';
import { computeKeyDigest, toPasskeyKey } from '../../../domain/identity/passkeys/public-key.ts';
import { toRelyingParty } from '../../../domain/identity/passkeys/relying-party.ts';
import {
  computeChallenge,
  computeCredentialHash,
  createSignInStatement,
} from '../../../domain/identity/passkeys/statements.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { AppError } from '../../../errors.ts';
import type { Platform } from '../../../platform/platform.ts';
import { recordSignInFailure, toFailureDetail } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import { consumeToken, issueToken } from '../email-links/one-time-tokens.service.ts';
import { type FirstStep, refuseEnded, takeTempToken } from '../mfa/second-step.service.ts';
import type { Origin, SecondStep, SignedIn } from '../sessions/sessions.service.ts';
import { signIn } from '../sessions/sign-in.service.ts';
import { loadStandings } from './credential-entries.service.ts';
import type { passkeyLoginInput } from './credentials.schemas.ts';
import type { PasskeyDocument } from './passkeys.model.ts';

const SIGN_IN_MS = 5 * 60_000;
/** What the audit log says of it. */
const METHOD = 'passkey';

/** @throws AppError `TOKEN_VERIFICATION_FAILED`, `TOKEN_EXPIRED` */
export async function beginPasskeySignIn(
  platform: Platform,
  tempToken: string | undefined,
): Promise<{ token: string; options: RequestOptions }> {
  const userId = tempToken === undefined ? null : platform.tempTokens.read(tempToken).sub;
  const token = await issueToken(platform, {
    purpose: 'passkey-sign-in',
    userId,
    expiresAt: new Date(platform.clock.now().getTime() + SIGN_IN_MS),
  });
  const known =
    userId === null
      ? []
      : await platform.models.passkeys
          .find({ userId }, 'rawId', { crossTenant: true })
          .lean<PasskeyDocument[]>();
  const challenge = toChallenge(token);
  const ids = known.map(({ rawId }) => rawId);
  const party = toRelyingParty(platform.publicUrl);
  return { token, options: await createRequestOptions(party, challenge, ids) };
}

const toChallenge = (token: string) => computeChallenge(createSignInStatement(sha256Hex(token)));

/**
 * A passkey that its person has enrolled signs in, whether it was confirmed for approvals or not.
 * @throws AppError `SIGNATURE_INVALID`, `ACCOUNT_DEACTIVATED`, `FORBIDDEN`, and those of the tokens
 */
export async function signInWithPasskey(
  platform: Platform,
  { token, tempToken, signature }: z.output<typeof passkeyLoginInput>,
  origin: Origin,
): Promise<SignedIn | SecondStep> {
  const first = tempToken === undefined ? null : await takeTempToken(platform, tempToken);
  const issued = await consumeToken(platform, 'passkey-sign-in', token);
  const passkey = await findPasskey(platform, signature.credentialId);
  const user =
    passkey && (await platform.models.users.findById(passkey.userId).lean<UserDocument>());
  if (!user) throw refuse();
  const by = { passkey, user, first };
  try {
    await requireSigned(platform, by, { token, signature, person: issued.userId });
    return await platform.transaction(() => enter(platform, by, origin));
  } catch (error) {
    const method = first?.proof.method ?? METHOD;
    recordSignInFailure(platform, user, { origin, method, detail: toFailureDetail(error) });
    throw error;
  }
}

/** Whose passkey signs, and the first step that it completes; null: it is both. */
interface Entering {
  passkey: PasskeyDocument;
  user: UserDocument;
  first: FirstStep | null;
}

interface Given {
  token: string;
  signature: PasskeyAssertion;
  /** Whom the options were for; null: anyone. */
  person: PasskeyDocument['userId'] | null;
}

/** @throws AppError `SIGNATURE_INVALID` */
async function requireSigned(
  platform: Platform,
  { passkey, first }: Entering,
  { token, signature, person }: Given,
): Promise<void> {
  const userId = passkey.userId.toHexString();
  const wanted = [first?.userId ?? userId, person?.toHexString() ?? userId];
  const party = toRelyingParty(platform.publicUrl);
  const given = { challenge: toChallenge(token), cose: passkey.cose };
  const isOwn = wanted.every((each) => each === userId);
  if (!isOwn || !(await isAssertionOf(party, signature, given))) throw refuse();
}

async function enter(
  platform: Platform,
  { passkey: { _id, organizationId }, user, first }: Entering,
  origin: Origin,
): Promise<SignedIn | SecondStep> {
  if (first) await consumeToken(platform, 'second-factor', first.jti).catch(refuseEnded);
  const $set = { lastUsedAt: platform.clock.now() };
  await platform.models.passkeys.updateOne({ _id, organizationId }, { $set });
  const proof = { ...(first?.proof ?? { method: METHOD }), secondFactor: 'passkey' } as const;
  return signIn(platform, user, { origin, proof });
}

/** The passkey as the chain knows it; null: it is unknown, revoked, or not the one that was enrolled. */
async function findPasskey(platform: Platform, rawId: string): Promise<PasskeyDocument | null> {
  const credentialId = computeCredentialHash(rawId);
  const passkey = await platform.models.passkeys
    .findOne({ credentialId }, null, { crossTenant: true })
    .lean<PasskeyDocument>();
  if (!passkey) return null;
  const organizationId = passkey.organizationId.toHexString();
  const standing = (await loadStandings(platform, organizationId, [credentialId])).get(
    credentialId,
  );
  const isLive = standing !== undefined && standing.status !== 'revoked';
  const isOwn = standing?.userId === passkey.userId.toHexString();
  return isLive && isOwn && standing.digest === computeKeyDigest(toPasskeyKey(passkey))
    ? passkey
    : null;
}

const refuse = (): AppError =>
  new AppError('SIGNATURE_INVALID', 'The passkey is unknown or revoked, or did not sign this');
