// Local accounts: register an organisation and its owner, sign in with a password, change it (document 1, section 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OrganizationFacts } from '../../organization/organization-facts.service.ts';
import type {
  changeInput,
  completeInput,
  loginInput,
  registerInput,
  PasswordChanged,
  WhoAmI,
} from '../auth.schemas.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { Origin, SecondStep, SessionService, SignedIn } from '../sessions/sessions.service.ts';
import { toActiveOrganization, toUserView } from './account-views.ts';
import type { CredentialService } from './credentials.service.ts';
import type { Registered, RegistrationService } from './registration.service.ts';
import { toFailureDetail, type SignInFailures } from './sign-in-failures.service.ts';
import type { UserDocument } from './users.model.ts';

type LocalPlatform = Pick<
  Platform,
  'models' | 'config' | 'passwords' | 'clock' | 'transaction' | 'queueMail'
>;

interface Deps {
  sessions: SessionService;
  failures: SignInFailures;
  credentials: CredentialService;
  oneTimeTokens: OneTimeTokenService;
  registration: RegistrationService;
  organizationFacts: OrganizationFacts;
}

const METHOD = 'password';
const PROOF = { method: METHOD, secondFactor: null };

export function createLocalService(platform: LocalPlatform, deps: Deps) {
  const { models, config, passwords, clock, transaction, queueMail } = platform;
  const { sessions, failures, credentials, oneTimeTokens, registration, organizationFacts } = deps;

  return {
    requireOpen: registration.requireOpen,

    /** @throws AppError `ALREADY_EXISTS` when the address has an account, `FORBIDDEN` when registration is by invitation only */
    async register(input: z.output<typeof registerInput>, origin: Origin): Promise<Registered> {
      const { password, ...person } = input;
      registration.requireOpen();
      await registration.requireFree(person.email);
      const passwordHash = await passwords.hash(password);
      const registrant = { ...person, identities: [], passwordHash, mailboxProved: false };
      return transaction(async () => {
        const registered = await registration.register(registrant, origin, PROOF);
        if (config.requireVerifiedEmail)
          await queueMail(null, { kind: 'confirm', email: person.email });
        return registered;
      });
    },

    /** Registers with the address that the token was sent to. @throws AppError as `register`; `INVALID_TOKEN`, `EXPIRED` */
    async completeSignup(
      { token, password, ...person }: z.output<typeof completeInput>,
      origin: Origin,
    ): Promise<Registered> {
      registration.requireOpen();
      await oneTimeTokens.findToken('signup', token);
      const passwordHash = await passwords.hash(password);
      return transaction(async () => {
        const { email } = await oneTimeTokens.consumeToken('signup', token);
        if (email === null) throw new AppError('INTERNAL_ERROR');
        return registration.register(
          { ...person, email, identities: [], passwordHash, mailboxProved: true },
          origin,
          PROOF,
        );
      });
    },

    /** @throws AppError `INVALID_CREDENTIALS`, the same for an unknown address and a wrong password; `ACCOUNT_DEACTIVATED` */
    async login(
      { email, password }: z.output<typeof loginInput>,
      origin: Origin,
    ): Promise<SignedIn | SecondStep> {
      const user = await models.users.findOne({ email }).lean<UserDocument>();
      const stored = user?.passwordHash ?? null;
      const { matches, renewed } = await passwords.check(stored, password);
      if (user && !matches)
        failures.recordFailure(user, origin, { method: METHOD, detail: 'wrong password' });
      if (!user || !matches) throw new AppError('INVALID_CREDENTIALS');
      return transaction(async () => {
        // This write conflicts with a simultaneous change of the password, so the old password cannot sign in.
        const { matchedCount } = await models.users.updateOne(
          { _id: user._id, passwordHash: stored },
          { $set: { updatedAt: clock.now(), passwordHash: renewed ?? stored } },
        );
        if (matchedCount === 0) throw new AppError('INVALID_CREDENTIALS');
        return sessions.signIn(user, origin, PROOF);
      }).catch((error: unknown) => {
        failures.recordFailure(user, origin, { method: METHOD, detail: toFailureDetail(error) });
        throw error;
      });
    },

    /** Ends the user's other sessions. @throws AppError `INVALID_CREDENTIALS` when the current password is incorrect */
    async changePassword(
      { userId, jti }: User,
      { currentPassword, newPassword }: z.output<typeof changeInput>,
    ): Promise<PasswordChanged> {
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (!(await passwords.verify(user?.passwordHash ?? null, currentPassword)))
        throw new AppError('INVALID_CREDENTIALS', 'Current password is incorrect');
      const passwordHash = await passwords.hash(newPassword);
      const { sessionsEnded } = await transaction(() =>
        credentials.replacePassword(userId, { passwordHash, exceptJti: jti, mailboxProved: false }),
      );
      return { passwordChanged: true, sessionsEnded };
    },

    /** Returns the caller and the active organisation. */
    async describeCaller({ organizationId }: Tenant, { userId, role }: User): Promise<WhoAmI> {
      const [user, organization] = await Promise.all([
        models.users.findById(userId).lean<UserDocument>(),
        organizationFacts.findOrganization(organizationId),
      ]);
      if (!user || !organization) throw new AppError('UNAUTHORIZED_NO_USER');
      return { user: toUserView(user), organization: toActiveOrganization(organization), role };
    },
  };
}
export type LocalService = ReturnType<typeof createLocalService>;
