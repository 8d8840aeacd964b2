// Local accounts: register an organisation and its owner, sign in with a password, change it (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { findOrganization } from '../../organization/organization-facts.service.ts';
import type {
  changeInput,
  completeInput,
  loginInput,
  registerInput,
  PasswordChanged,
  WhoAmI,
} from '../auth.schemas.ts';
import { findToken, consumeToken } from '../email-links/one-time-tokens.service.ts';
import type { Origin, SecondStep, SignedIn } from '../sessions/sessions.service.ts';
import { toActiveOrganization, toUserView } from './account-views.ts';
import { replacePassword } from './credentials.service.ts';
import { requireOpenRegistration } from './founding.service.ts';
import { type Registered, requireFreeAddress, registerAccount } from './registration.service.ts';
import { recordSignInFailure, runSignIn } from './sign-in-failures.service.ts';
import type { UserDocument } from './users.model.ts';
import { signIn } from '../sessions/sign-in.service.ts';
import type { UserContext } from '../../../platform/context.ts';

const METHOD = 'password';
const PROOF = { method: METHOD, secondFactor: null };

/** @throws AppError `ALREADY_EXISTS` when the address has an account, `FORBIDDEN` when registration is by invitation only */
export async function registerLocally(
  platform: Platform,
  input: z.output<typeof registerInput>,
  origin: Origin,
): Promise<Registered> {
  const { password, ...person } = input;
  requireOpenRegistration(platform);
  await requireFreeAddress(platform, person.email);
  const passwordHash = await platform.passwords.hash(password);
  const registrant = { ...person, identities: [], passwordHash, mailboxProved: false };
  return platform.transaction(async () => {
    const registered = await registerAccount(platform, registrant, { origin, proof: PROOF });
    if (platform.config.requireVerifiedEmail)
      await platform.queueMail(null, { kind: 'confirm', email: person.email });
    return registered;
  });
}

/** Registers with the address that the token was sent to. @throws AppError as `register`; `INVALID_TOKEN`, `EXPIRED` */
export async function completeSignup(
  platform: Platform,
  { token, password, ...person }: z.output<typeof completeInput>,
  origin: Origin,
): Promise<Registered> {
  requireOpenRegistration(platform);
  await findToken(platform, 'signup', token);
  const passwordHash = await platform.passwords.hash(password);
  return platform.transaction(async () => {
    const { email } = await consumeToken(platform, 'signup', token);
    if (email === null) throw new AppError('INTERNAL_ERROR');
    return registerAccount(
      platform,
      { ...person, email, identities: [], passwordHash, mailboxProved: true },
      { origin, proof: PROOF },
    );
  });
}

/** @throws AppError `INVALID_CREDENTIALS`, the same for an unknown address and a wrong password; `ACCOUNT_DEACTIVATED` */
export async function logIn(
  platform: Platform,
  { email, password }: z.output<typeof loginInput>,
  origin: Origin,
): Promise<SignedIn | SecondStep> {
  const user = await platform.models.users.findOne({ email }).lean<UserDocument>();
  const stored = user?.passwordHash ?? null;
  const { matches, renewed } = await platform.passwords.check(stored, password);
  if (user && !matches)
    recordSignInFailure(platform, user, { origin, method: METHOD, detail: 'wrong password' });
  if (!user || !matches) throw new AppError('INVALID_CREDENTIALS');
  return runSignIn(platform, { user, origin, method: METHOD }, async () => {
    // This write conflicts with a simultaneous change of the password, so the old password cannot sign in.
    const { matchedCount } = await platform.models.users.updateOne(
      { _id: user._id, passwordHash: stored },
      { $set: { updatedAt: platform.clock.now(), passwordHash: renewed ?? stored } },
    );
    if (matchedCount === 0) throw new AppError('INVALID_CREDENTIALS');
    return signIn(platform, user, { origin, proof: PROOF });
  });
}

/** Ends the user's other sessions. @throws AppError `INVALID_CREDENTIALS` when the current password is incorrect */
export async function changePassword(
  { platform, user: { userId, jti } }: UserContext,
  { currentPassword, newPassword }: z.output<typeof changeInput>,
): Promise<PasswordChanged> {
  const user = await platform.models.users.findById(userId).lean<UserDocument>();
  if (!(await platform.passwords.verify(user?.passwordHash ?? null, currentPassword)))
    throw new AppError('INVALID_CREDENTIALS', 'Current password is incorrect');
  const passwordHash = await platform.passwords.hash(newPassword);
  const { sessionsEnded } = await platform.transaction(() =>
    replacePassword(platform, userId, { passwordHash, exceptJti: jti, mailboxProved: false }),
  );
  return { passwordChanged: true, sessionsEnded };
}

/** Returns the caller and the active organisation. */
export async function describeCaller({
  platform,
  tenant: { organizationId },
  user: { userId, role },
}: UserContext): Promise<WhoAmI> {
  const [user, organization] = await Promise.all([
    platform.models.users.findById(userId).lean<UserDocument>(),
    findOrganization(platform, organizationId),
  ]);
  if (!user || !organization) throw new AppError('UNAUTHORIZED_NO_USER');
  return { user: toUserView(user), organization: toActiveOrganization(organization), role };
}
