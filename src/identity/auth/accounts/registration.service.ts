// Registration: a new account with an organisation of its own, by password, mail or social login.
import type { Platform } from '../../../platform/platform.ts';
import { isUnused } from '../../../domain/identity/standing.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { ReclaimService } from '../reclaim/reclaim.service.ts';
import type { Origin, Proof, SessionService, SignedIn } from '../sessions/sessions.service.ts';
import { type ActiveOrganization, toActiveOrganization } from './account-views.ts';
import type { FoundingService } from './founding.service.ts';
import type { SocialIdentity, UserDocument } from './users.model.ts';

interface Deps {
  sessions: SessionService;
  memberships: MembershipService;
  founding: FoundingService;
  reclaims: ReclaimService;
}

export interface Registrant {
  name: string;
  email: string;
  /** Null for a user who signs in by a provider only. */
  passwordHash: string | null;
  identities: SocialIdentity[];
  organizationName: string;
  mailboxProved: boolean;
}

export type Registered = SignedIn & { organization: ActiveOrganization };

export function createRegistrationService(
  platform: Pick<Platform, 'models' | 'clock'>,
  deps: Deps,
) {
  const { models, clock } = platform;
  const { sessions, memberships, founding, reclaims } = deps;

  /**
   * Finds the account that a registrant takes over: an unproved one when the registrant has proved the mailbox, else
   * one with nothing but offers of directories. Null: the address has no account.
   * @throws AppError `ALREADY_EXISTS`
   */
  async function findClaimableAccount({
    email,
    mailboxProved,
  }: Pick<Registrant, 'email' | 'mailboxProved'>): Promise<UserDocument | null> {
    const known = await models.users.findOne({ email }).lean<UserDocument>();
    const isFree =
      !known || (mailboxProved ? known.emailVerifiedAt === null : await isClaimable(known));
    if (isFree) return known;
    throw new AppError('ALREADY_EXISTS', 'An account with this address exists');
  }

  /** Whether the account is unused and no organisation answers for its address. */
  async function isClaimable(known: UserDocument): Promise<boolean> {
    return (
      isUnused(known) &&
      (await memberships.listUserMemberships(known._id.toHexString())).length === 0
    );
  }

  /**
   * Ends all access to the account; memberships that directories gave to its address wait for a proof of the mailbox.
   */
  async function takeOver(known: UserDocument, account: object): Promise<UserDocument> {
    const userId = known._id.toHexString();
    await reclaims.beginReclaims(known);
    await sessions.revokeAll(userId);
    const taken = await findOr404(
      models.users
        .findOneAndUpdate({ _id: known._id }, { $set: { ...account, provisionedBy: null } }, AFTER)
        .lean<UserDocument>(),
    );
    if (taken.emailVerifiedAt === null) await memberships.awaitProof(userId);
    else await memberships.releaseAwaiting(userId);
    return taken;
  }

  return {
    requireOpen: founding.requireOpen,

    /** @throws AppError `ALREADY_EXISTS` when another user has the address */
    async requireFree(email: string): Promise<void> {
      await findClaimableAccount({ email, mailboxProved: false });
    },

    /**
     * Creates a user with an organisation and signs them in as its owner; call it in a transaction.
     * @throws AppError `ALREADY_EXISTS`
     */
    async register(registrant: Registrant, origin: Origin, proof: Proof): Promise<Registered> {
      const { organizationName, mailboxProved, ...person } = registrant;
      const now = clock.now();
      const account = {
        ...person,
        passwordChangedAt: person.passwordHash === null ? null : now,
        emailVerifiedAt: mailboxProved ? now : null,
      };
      const known = await findClaimableAccount(registrant);
      const user = known ? await takeOver(known, account) : await insertOne(models.users, account);
      const { organization, membership } = await founding.createOwnOrganization(
        user,
        organizationName,
      );
      const home = { ...user, lastOrganizationId: organization._id };
      const session = await sessions.signInTo({ user: home, membership }, origin, proof);
      // A new account has no second factor.
      if (session.mfaRequired) throw new AppError('INTERNAL_ERROR');
      return { ...session, organization: toActiveOrganization(organization) };
    },
  };
}
export type RegistrationService = ReturnType<typeof createRegistrationService>;
