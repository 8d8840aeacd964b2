// Finds the account of a social identity by issuer and subject, links one by verified address, or registers one.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { AccountReader } from '../../auth/accounts/account-reader.service.ts';
import type { CredentialService } from '../../auth/accounts/credentials.service.ts';
import type { RegistrationService } from '../../auth/accounts/registration.service.ts';
import type { SignInFailures } from '../../auth/accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { Origin, Proof, SessionService } from '../../auth/sessions/sessions.service.ts';
import { toDisplayName } from '../login/display-name.ts';
import type { LoginOutcome } from '../login/login-completion.service.ts';
import type { SocialIdentityClaims } from './social-providers.service.ts';

interface Deps {
  accountReader: AccountReader;
  sessions: SessionService;
  failures: SignInFailures;
  credentials: CredentialService;
  registration: RegistrationService;
}

export function createSocialAccountService(
  platform: Pick<Platform, 'models' | 'clock' | 'transaction'>,
  deps: Deps,
) {
  const { models, clock, transaction } = platform;
  const { accountReader, sessions, failures, credentials, registration } = deps;

  const { findByIdentity, findByAddress } = accountReader;

  /** Lets the identity sign in to the account, whose address the provider has verified. */
  async function linkIdentity(
    user: UserDocument,
    { issuer, subject }: SocialIdentityClaims,
  ): Promise<UserDocument> {
    const proved = await credentials.verifyMailbox(user);
    const { matchedCount } = await models.users.updateOne(
      { _id: user._id, 'identities.issuer': { $ne: issuer } },
      { $push: { identities: { issuer, subject, linkedAt: clock.now() } } },
    );
    if (matchedCount === 0)
      throw new AppError('CONFLICT', 'Account is linked to another identity at this provider');
    return proved;
  }

  function register(
    { issuer, subject, name }: SocialIdentityClaims,
    email: string,
    { origin, proof }: { origin: Origin; proof: Proof },
  ): Promise<LoginOutcome> {
    registration.requireOpen();
    const displayName = toDisplayName({ name, email });
    const registrant = {
      name: displayName,
      email,
      organizationName: displayName,
      passwordHash: null,
      mailboxProved: true,
      identities: [{ issuer, subject, linkedAt: clock.now() }],
    };
    return registration.register(registrant, origin, proof);
  }

  async function enter(
    identity: SocialIdentityClaims,
    origin: Origin,
    proof: Proof,
  ): Promise<LoginOutcome> {
    const { email } = identity;
    if (email === null)
      throw new AppError('FORBIDDEN', 'Provider has not verified the e-mail address');
    const linked = await findByIdentity(identity);
    if (linked) return sessions.signIn(linked, origin, proof);
    const user = await findByAddress(email);
    if (user) return sessions.signIn(await linkIdentity(user, identity), origin, proof);
    return register(identity, email, { origin, proof });
  }

  /** Records a refusal for the account of the identity. */
  async function noteFailure(
    identity: SocialIdentityClaims,
    origin: Origin,
    { method, error }: { method: string; error: unknown },
  ): Promise<void> {
    const { email } = identity;
    const user =
      (await findByIdentity(identity)) ?? (email === null ? null : await findByAddress(email));
    const detail = error instanceof AppError ? error.message : 'fault';
    if (user) failures.recordFailure(user, origin, { method, detail });
  }

  return {
    /** @throws AppError `FORBIDDEN`, `CONFLICT`, `ACCOUNT_DEACTIVATED` */
    async signIn(
      identity: SocialIdentityClaims,
      origin: Origin,
      proof: Proof,
    ): Promise<LoginOutcome> {
      try {
        return await transaction(() => enter(identity, origin, proof));
      } catch (error) {
        await noteFailure(identity, origin, { method: proof.method, error });
        throw error;
      }
    },
  };
}
export type SocialAccountService = ReturnType<typeof createSocialAccountService>;
