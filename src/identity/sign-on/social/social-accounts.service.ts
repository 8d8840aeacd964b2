// Finds the account of a social identity by issuer and subject, links one by verified address, or registers one.
import { type SignInBy, signIn } from '../../auth/sessions/sign-in.service.ts';
import { requireOpenRegistration } from '../../auth/accounts/founding.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import {
  findAccountByAddress,
  findAccountByIdentity,
} from '../../auth/accounts/account-reader.service.ts';
import { verifyMailbox } from '../../auth/accounts/credentials.service.ts';
import { registerAccount } from '../../auth/accounts/registration.service.ts';
import { recordSignInFailure } from '../../auth/accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { Origin, Proof } from '../../auth/sessions/sessions.service.ts';
import { toDisplayName } from '../login/display-name.ts';
import type { LoginOutcome } from '../login/login-completion.service.ts';
import type { SocialIdentityClaims } from './social-providers.service.ts';

/** @throws AppError `FORBIDDEN`, `CONFLICT`, `ACCOUNT_DEACTIVATED` */
export async function signInSocially(
  platform: Platform,
  identity: SocialIdentityClaims,
  { origin, proof }: SignInBy,
): Promise<LoginOutcome> {
  try {
    return await platform.transaction(() => enter(platform, identity, origin, proof));
  } catch (error) {
    await noteFailure(platform, identity, origin, { method: proof.method, error });
    throw error;
  }
}

/** Lets the identity sign in to the account, whose address the provider has verified. */
async function linkIdentity(
  platform: Platform,
  user: UserDocument,
  { issuer, subject }: SocialIdentityClaims,
): Promise<UserDocument> {
  const proved = await verifyMailbox(platform, user);
  const { matchedCount } = await platform.models.users.updateOne(
    { _id: user._id, 'identities.issuer': { $ne: issuer } },
    { $push: { identities: { issuer, subject, linkedAt: platform.clock.now() } } },
  );
  if (matchedCount === 0)
    throw new AppError('CONFLICT', 'Account is linked to another identity at this provider');
  return proved;
}

function register(
  platform: Platform,
  { issuer, subject, name }: SocialIdentityClaims,
  email: string,
  { origin, proof }: { origin: Origin; proof: Proof },
): Promise<LoginOutcome> {
  requireOpenRegistration(platform);
  const displayName = toDisplayName({ name, email });
  const registrant = {
    name: displayName,
    email,
    organizationName: displayName,
    passwordHash: null,
    mailboxProved: true,
    identities: [{ issuer, subject, linkedAt: platform.clock.now() }],
  };
  return registerAccount(platform, registrant, { origin, proof });
}

async function enter(
  platform: Platform,
  identity: SocialIdentityClaims,
  origin: Origin,
  proof: Proof,
): Promise<LoginOutcome> {
  const { email } = identity;
  if (email === null)
    throw new AppError('FORBIDDEN', 'Provider has not verified the e-mail address');
  const linked = await findAccountByIdentity(platform, identity);
  if (linked) return signIn(platform, linked, { origin, proof });
  const user = await findAccountByAddress(platform, email);
  if (user)
    return signIn(platform, await linkIdentity(platform, user, identity), { origin, proof });
  return register(platform, identity, email, { origin, proof });
}

/** Records a refusal for the account of the identity. */
async function noteFailure(
  platform: Platform,
  identity: SocialIdentityClaims,
  origin: Origin,
  { method, error }: { method: string; error: unknown },
): Promise<void> {
  const { email } = identity;
  const user =
    (await findAccountByIdentity(platform, identity)) ??
    (email === null ? null : await findAccountByAddress(platform, email));
  const detail = error instanceof AppError ? error.message : 'fault';
  if (user) recordSignInFailure(platform, user, { origin, method, detail });
}
