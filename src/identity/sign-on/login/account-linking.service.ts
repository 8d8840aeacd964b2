// Links a verified external identity to a member, or provisions a member just in time, and signs the user in.
import { UNSPECIFIED_NAME } from '@assay/saml';
import type { Platform } from '../../../platform/platform.ts';
import { isRenamed, type ProviderName } from '../../../domain/sign-on/provider-name.ts';
import {
  DEFAULT_ROLE,
  decideRole,
  type RoleDecision,
} from '../../../domain/identity/role-mapping.ts';
import { readEmailClaim } from '../../../domain/identity/addresses/verified-email.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { findAccount, findAccountByAddress } from '../../auth/accounts/account-reader.service.ts';
import { verifyMailbox } from '../../auth/accounts/credentials.service.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { SignOn } from '../../auth/sessions/sessions.model.ts';
import type { Origin, Proof } from '../../auth/sessions/sessions.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  lockOrganization,
  isLastOwner,
  findMembership,
  addMembership,
  isMemberElsewhere,
  changeMembership,
} from '../../organization/memberships/memberships.service.ts';
import { hasVerifiedDomain } from '../../organization/sso-domains/verified-domains.service.ts';
import type { ActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import { toDisplayName } from './display-name.ts';
import type { LoginOutcome } from './login-completion.service.ts';
import { signIn } from '../../auth/sessions/sign-in.service.ts';

/** The verified statements of an identity provider about a person. */
export interface ExternalIdentity {
  signOn: SignOn;
  /** Null: the provider sends no address. */
  email: string | null;
  name: string | null;
  /** Null: the provider does not list the groups, and the role stays. */
  groups: readonly string[] | null;
}

interface LinkedAccount {
  user: UserDocument;
  membership: MembershipDocument;
}

/** A person without a membership, whose address is of a verified domain. */
interface Newcomer {
  email: string;
  /** Their account; null: they have none. */
  user: UserDocument | null;
}

/** What a sign-on would do. */
interface ForeseenSignOn {
  member: 'linked' | 'address' | 'new';
  role: Role;
  rule: RoleDecision['matched'];
}

/**
 * Signs the user in to the organisation. Memberships are locked only when one is created or changed.
 * @throws AppError `FORBIDDEN`, `CONFLICT`, `ACCOUNT_DEACTIVATED`
 */
export function signInExternally(
  platform: Platform,
  settings: ActiveSso,
  { identity, origin }: { identity: ExternalIdentity; origin: Origin },
): Promise<LoginOutcome> {
  const { organizationId, requireMfaEvenWithSso } = settings;
  const { signOn } = identity;
  const name = toProviderName(signOn);
  return platform.transaction(async () => {
    const found =
      (await findByName(platform, organizationId, name)) ??
      (await findByEmail(platform, settings, identity));
    const account =
      'membership' in found ? found : await addMember(platform, settings, identity, found);
    const { covered } = await checkAccount(platform, organizationId, account);
    const user = covered
      ? await verifyMailbox(platform, account.user, organizationId)
      : account.user;
    const { membership } = account;
    await changeMembership(platform, membership, { signOn: name });
    await syncRole(platform, settings, identity, membership);
    const proof: Proof = {
      method: name.protocol,
      secondFactor: requireMfaEvenWithSso ? null : 'identity_provider',
      mustHaveFactor: requireMfaEvenWithSso,
      signOn: { ...signOn, organizationId },
    };
    return signIn(platform, user, { origin, proof });
  });
}

/** Foresees what a sign-on would do, and does none of it. @throws AppError like `signIn` */
export async function foreseeSignOn(
  platform: Platform,
  settings: ActiveSso,
  identity: ExternalIdentity,
): Promise<ForeseenSignOn> {
  const { organizationId, roleMapping } = settings;
  const linked = await findByName(platform, organizationId, toProviderName(identity.signOn));
  const found = linked ?? (await findByEmail(platform, settings, identity));
  const { role, matched: rule } = decideRole(identity.groups ?? [], roleMapping);
  if (!('membership' in found)) return { member: 'new', role, rule };
  await checkAccount(platform, organizationId, found);
  const { membership } = found;
  const next = decideNextRole(settings, identity, membership) ?? membership.role;
  const stays = await losesLastOwner(platform, membership, next);
  const member = linked ? 'linked' : 'address';
  return { member, role: stays ? membership.role : next, rule };
}

async function loadAccount(
  platform: Platform,
  membership: MembershipDocument,
): Promise<LinkedAccount> {
  const user = await findAccount(platform, membership.userId);
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  return { user, membership };
}

/** Finds a member by the name at the provider, which an earlier login or the directory (`externalId`) stored. */
async function findByName(
  platform: Platform,
  organizationId: string,
  { protocol, issuer, subject, format }: ProviderName,
): Promise<LinkedAccount | null> {
  const linked = await platform.models.memberships
    .findOne({
      organizationId,
      'signOn.protocol': protocol,
      'signOn.issuer': issuer,
      'signOn.subject': subject,
      'signOn.format': { $in: [format, null] },
    })
    .lean<MembershipDocument>();
  if (linked) return loadAccount(platform, linked);
  const provisioned = await platform.models.memberships
    .find({ organizationId, ssoId: subject, 'signOn.issuer': { $ne: issuer } })
    .limit(2)
    .lean<MembershipDocument[]>();
  if (provisioned.length > 1)
    throw new AppError('CONFLICT', 'Two members have the externalId of this subject');
  return provisioned[0] ? loadAccount(platform, provisioned[0]) : null;
}

/** Finds a member by an address whose domain the organisation has verified. */
async function findByEmail(
  platform: Platform,
  settings: ActiveSso,
  identity: ExternalIdentity,
): Promise<LinkedAccount | Newcomer> {
  const { organizationId, justInTime } = settings;
  const email = readEmailClaim(identity.email);
  if (email === null)
    throw new AppError('FORBIDDEN', 'Identity provider sent no usable e-mail address');
  if (!(await hasVerifiedDomain(platform, organizationId, email)))
    throw new AppError('FORBIDDEN', 'Organisation has not verified the domain of this address');
  const user = await findAccountByAddress(platform, email);
  const membership =
    user && (await findMembership(platform, organizationId, user._id.toHexString()));
  const before = membership?.signOn;
  if (before && !isRenamed(before, toProviderName(identity.signOn), selectNameFormat(settings)))
    throw new AppError('CONFLICT', 'Member with this address is linked to another subject');
  if (user && membership) return { user, membership };
  if (!justInTime)
    throw new AppError('FORBIDDEN', 'Not a member, and just-in-time provisioning is off');
  return { email, user };
}

/** Just-in-time provisioning: the first login creates the membership. */
async function addMember(
  platform: Platform,
  { organizationId, roleMapping }: ActiveSso,
  { groups, name }: ExternalIdentity,
  { email, user: known }: Newcomer,
): Promise<LinkedAccount> {
  await lockOrganization(platform, organizationId);
  const user =
    known ??
    (await insertOne(platform.models.users, {
      _id: platform.generateId(),
      email,
      name: toDisplayName({ name, email }),
      provisionedBy: organizationId,
      emailVerifiedAt: platform.clock.now(),
    }));
  const { role, matched } = decideRole(groups ?? [], roleMapping);
  const roleMapped = matched !== null;
  const userId = user._id.toHexString();
  return {
    user,
    membership: await addMembership(platform, { organizationId, userId, role, roleMapped }),
  };
}

/** Whether the role would take the last owner from the organisation. */
async function losesLastOwner(
  platform: Platform,
  membership: MembershipDocument,
  next: Role,
): Promise<boolean> {
  const { role, isActive } = membership;
  if (role !== 'owner' || !isActive || next === 'owner') return false;
  return isLastOwner(platform, membership);
}

/** Sets the role that the groups map to, or the default once no rule matches. The last owner keeps the role. */
async function syncRole(
  platform: Platform,
  settings: ActiveSso,
  identity: ExternalIdentity,
  membership: MembershipDocument,
): Promise<void> {
  const next = decideNextRole(settings, identity, membership);
  if (next === null || (next === membership.role && membership.roleMapped)) return;
  await lockOrganization(platform, settings.organizationId);
  if (await losesLastOwner(platform, membership, next)) return;
  await changeMembership(platform, membership, { role: next, roleMapped: true });
}

/** Whether the organisation created the account, and the user has not made it independent since. */
async function isOwnAccount(
  platform: Platform,
  organizationId: string,
  user: UserDocument,
): Promise<boolean> {
  const { _id, provisionedBy, passwordHash, identities } = user;
  if (provisionedBy?.toHexString() !== organizationId) return false;
  if (passwordHash !== null || identities.length > 0) return false;
  return !(await isMemberElsewhere(platform, organizationId, _id));
}

/**
 * Checks that the address of an account is of a verified domain, or that the organisation created it; returns which.
 * @throws AppError `FORBIDDEN`, `ACCOUNT_DEACTIVATED`
 */
async function checkAccount(
  platform: Platform,
  organizationId: string,
  { user, membership }: LinkedAccount,
): Promise<{ covered: boolean }> {
  const covered = await hasVerifiedDomain(platform, organizationId, user.email);
  if (!covered && !(await isOwnAccount(platform, organizationId, user)))
    throw new AppError('FORBIDDEN', 'Organisation has not verified the domain of this account');
  if (!membership.isActive) throw new AppError('ACCOUNT_DEACTIVATED');
  return { covered };
}

/** Returns the role that the groups map to, or the default once no rule matches; null: the role stays. */
function decideNextRole(
  { roleMapping }: ActiveSso,
  { groups }: ExternalIdentity,
  { roleMapped }: MembershipDocument,
): Role | null {
  if (groups === null || roleMapping.length === 0) return null;
  const { role, matched, isUndecided } = decideRole(groups, roleMapping);
  if (isUndecided || (matched === null && !roleMapped)) return null;
  return matched === null ? DEFAULT_ROLE : role;
}

/** Returns the name at the provider; SAML treats a missing format as unspecified. */
const toProviderName = ({ protocol, issuer, format, subject }: SignOn): ProviderName => ({
  protocol,
  issuer,
  format: format ?? UNSPECIFIED_NAME,
  subject,
});

/** Returns the kind of name that the settings require; null: any. */
const selectNameFormat = ({ provider, oidc, saml }: ActiveSso): string | null =>
  (provider === 'oidc' ? oidc?.subjectClaim : saml?.nameIdFormat) ?? null;
