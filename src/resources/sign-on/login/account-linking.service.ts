// Somebody comes from an organisation's identity provider: who of its members that is, with which role, and the session.
import type { Platform } from '../../../composition/platform.ts';
import { DEFAULT_ROLE, roleFor } from '../../../domain/identity/role-mapping.ts';
import { emailIn } from '../../../domain/identity/verified-email.ts';
import { AppError } from '../../../errors.ts';
import type { CredentialService } from '../../auth/accounts/credentials.service.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { SignOn } from '../../auth/sessions/sessions.model.ts';
import type { Origin, SessionService } from '../../auth/sessions/sessions.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type {
  SsoSettings,
  SsoSettingsService,
} from '../../organization/sso-settings/sso-settings.service.ts';
import { displayNameOf } from './display-name.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'newId' | 'transaction'> & {
  sessions: SessionService;
  credentials: CredentialService;
  memberships: MembershipService;
  ssoSettings: SsoSettingsService;
};

/** What an identity provider says of somebody, verified. */
export interface ExternalIdentity {
  signOn: SignOn;
  /** Null: the provider names none. */
  email: string | null;
  name: string | null;
  /** Null: the provider says nothing of groups, and the role stays. */
  groups: readonly string[] | null;
}

interface Found {
  user: UserDocument;
  membership: MembershipDocument;
}

export function createAccountLinkingService(deps: Deps) {
  const { models, sessions, credentials, memberships, ssoSettings, clock, newId, transaction } =
    deps;

  async function accountOf(membership: MembershipDocument): Promise<Found> {
    const user = await models.users.findById(membership.userId).lean<UserDocument>();
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    return { user, membership };
  }

  /** By the name at the provider: as an earlier sign-on kept it, or as the directory did (`externalId`). */
  async function bySubject(
    organizationId: string,
    { issuer, subject }: SignOn,
  ): Promise<Found | null> {
    const known = await models.memberships
      .findOne({ organizationId, 'signOn.issuer': issuer, 'signOn.subject': subject })
      .lean<MembershipDocument>();
    if (known) return accountOf(known);
    const provisioned = await models.memberships
      .find({ organizationId, ssoId: subject, 'signOn.issuer': { $ne: issuer } })
      .limit(2)
      .lean<MembershipDocument[]>();
    if (provisioned.length > 1)
      throw new AppError('CONFLICT', 'The directory has two members of that name');
    return provisioned[0] ? accountOf(provisioned[0]) : null;
  }

  /** By the address, of a domain that the organisation has proved. */
  async function byAddress(settings: SsoSettings, arrival: ExternalIdentity): Promise<Found> {
    const { organizationId } = settings;
    const email = emailIn(arrival.email);
    if (email === null)
      throw new AppError('FORBIDDEN', 'The identity provider names no e-mail address');
    if (!(await ssoSettings.covers(organizationId, email)))
      throw new AppError(
        'FORBIDDEN',
        'The organisation has not proved the domain of this e-mail address',
      );
    const user = await models.users.findOne({ email }).lean<UserDocument>();
    const membership =
      user &&
      (await models.memberships
        .findOne({ organizationId, userId: user._id })
        .lean<MembershipDocument>());
    if (membership?.signOn?.issuer === arrival.signOn.issuer)
      throw new AppError(
        'CONFLICT',
        'The member with this e-mail address is somebody else at the identity provider',
      );
    return user && membership ? { user, membership } : takeIn(settings, arrival, { email, user });
  }

  async function takeIn(
    { organizationId, justInTime, roleMapping }: SsoSettings,
    { groups, name }: ExternalIdentity,
    { email, user: known }: { email: string; user: UserDocument | null },
  ): Promise<Found> {
    if (!justInTime) throw new AppError('FORBIDDEN', 'Only members may sign on here');
    await memberships.lock(organizationId);
    const user = known ?? (await newAccount(organizationId, email, name));
    // From now on two organisations share the account, so neither directory changes it.
    if (known?.provisionedBy != null && known.provisionedBy.toHexString() !== organizationId)
      await models.users.updateOne(
        { _id: known._id },
        { $set: { provisionedBy: null } },
        { timestamps: false },
      );
    const { role, matched } = roleFor(groups ?? [], roleMapping);
    const row = { organizationId, userId: user._id, role, roleMapped: matched !== null };
    const [membership] = await models.memberships.create([row]);
    if (!membership) throw new AppError('INTERNAL_ERROR');
    return { user, membership: membership.toObject() };
  }

  async function newAccount(
    organizationId: string,
    email: string,
    name: string | null,
  ): Promise<UserDocument> {
    const account = {
      _id: newId(),
      email,
      name: displayNameOf({ name, email }),
      provisionedBy: organizationId,
      emailVerifiedAt: clock.now(),
    };
    const [user] = await models.users.create([account]);
    if (!user) throw new AppError('INTERNAL_ERROR');
    return user.toObject();
  }

  /** The role that the groups give now; one that the mapping gave goes when no rule fits any more. The last owner stays. */
  async function followGroups(
    { organizationId, roleMapping }: SsoSettings,
    { groups }: ExternalIdentity,
    membership: MembershipDocument,
  ) {
    if (groups === null || roleMapping.length === 0) return;
    const { role, matched } = roleFor(groups, roleMapping);
    if (matched === null && !membership.roleMapped) return;
    const next = matched === null ? DEFAULT_ROLE : role;
    if (next === membership.role && membership.roleMapped) return;
    await memberships.lock(organizationId);
    const losesOwner = membership.role === 'owner' && membership.isActive && next !== 'owner';
    if (losesOwner && (await memberships.isLastOwner(membership))) return;
    await memberships.change(membership, { role: next, roleMapped: true });
  }

  return {
    /**
     * Signs somebody on whom the organisation's provider vouches for. Only accounts whose address is of a proved domain, or that
     * the organisation's own directory made, are opened. Memberships are locked when one is made or changed, not at every sign-on.
     * @throws AppError `FORBIDDEN`, `CONFLICT`, `ACCOUNT_DEACTIVATED`
     */
    admit(settings: SsoSettings, arrival: ExternalIdentity, origin: Origin) {
      const { organizationId } = settings;
      const { signOn } = arrival;
      return transaction(async () => {
        const { user, membership } =
          (await bySubject(organizationId, signOn)) ?? (await byAddress(settings, arrival));
        const covered = await ssoSettings.covers(organizationId, user.email);
        if (!covered && user.provisionedBy?.toHexString() !== organizationId)
          throw new AppError(
            'FORBIDDEN',
            'The organisation has not proved the domain of this account',
          );
        if (!membership.isActive) throw new AppError('ACCOUNT_DEACTIVATED');
        const proved = covered ? await credentials.proveMailbox(user) : user;
        await models.memberships.updateOne(
          { _id: membership._id, organizationId },
          { $set: { signOn: { issuer: signOn.issuer, subject: signOn.subject } } },
        );
        await followGroups(settings, arrival, membership);
        return sessions.signIn(proved, origin, {
          method: signOn.protocol,
          secondFactor: settings.requireMfaEvenWithSso ? null : 'identity_provider',
          signOn: { ...signOn, organizationId },
        });
      });
    },
  };
}
export type AccountLinkingService = ReturnType<typeof createAccountLinkingService>;
