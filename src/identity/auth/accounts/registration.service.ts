// Registration: a new account with an organisation of its own, by password, mail or social login.
import type { Platform } from '../../../platform/platform.ts';
import { isUnused } from '../../../domain/identity/standing.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import {
  listUserMemberships,
  releaseAwaitingMemberships,
  awaitProof,
} from '../../organization/memberships/memberships.service.ts';
import { beginReclaims } from '../reclaim/reclaim.service.ts';
import type { SignedIn, SignInBy } from '../sessions/sessions.service.ts';
import { type ActiveOrganization, toActiveOrganization } from './account-views.ts';
import { createOwnOrganization } from './founding.service.ts';
import type { SocialIdentity, UserDocument } from './users.model.ts';
import { revokeAllSessions } from '../sessions/open-sessions.service.ts';
import { signInTo } from '../sessions/sign-in.service.ts';

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

/** @throws AppError `ALREADY_EXISTS` when another user has the address */
export async function requireFreeAddress(platform: Platform, email: string): Promise<void> {
  await findClaimableAccount(platform, { email, mailboxProved: false });
}

/**
 * Creates a user with an organisation and signs them in as its owner; call it in a transaction.
 * @throws AppError `ALREADY_EXISTS`
 */
export async function registerAccount(
  platform: Platform,
  registrant: Registrant,
  by: SignInBy,
): Promise<Registered> {
  const { organizationName, mailboxProved, ...person } = registrant;
  const now = platform.clock.now();
  const account = {
    ...person,
    passwordChangedAt: person.passwordHash === null ? null : now,
    emailVerifiedAt: mailboxProved ? now : null,
  };
  const known = await findClaimableAccount(platform, registrant);
  const user = known
    ? await takeOver(platform, known, account)
    : await insertOne(platform.models.users, account);
  const { organization, membership } = await createOwnOrganization(
    platform,
    user,
    organizationName,
  );
  const home = { ...user, lastOrganizationId: organization._id };
  const session = await signInTo(platform, { user: home, membership }, by);
  // A new account has no second factor.
  if (session.mfaRequired) throw new AppError('INTERNAL_ERROR');
  return { ...session, organization: toActiveOrganization(organization) };
}

/**
 * Finds the account that a registrant takes over: an unproved one when the registrant has proved the mailbox, else
 * one with nothing but offers of directories. Null: the address has no account.
 * @throws AppError `ALREADY_EXISTS`
 */
async function findClaimableAccount(
  platform: Platform,
  { email, mailboxProved }: Pick<Registrant, 'email' | 'mailboxProved'>,
): Promise<UserDocument | null> {
  const known = await platform.models.users.findOne({ email }).lean<UserDocument>();
  const isFree =
    !known || (mailboxProved ? known.emailVerifiedAt === null : await isClaimable(platform, known));
  if (isFree) return known;
  throw new AppError('ALREADY_EXISTS', 'An account with this address exists');
}

/** Whether the account is unused and no organisation answers for its address. */
async function isClaimable(platform: Platform, known: UserDocument): Promise<boolean> {
  return (
    isUnused(known) && (await listUserMemberships(platform, known._id.toHexString())).length === 0
  );
}

/**
 * Ends all access to the account; memberships that directories gave to its address wait for a proof of the mailbox.
 */
async function takeOver(
  platform: Platform,
  known: UserDocument,
  account: object,
): Promise<UserDocument> {
  const userId = known._id.toHexString();
  await beginReclaims(platform, known);
  await revokeAllSessions(platform, userId);
  const taken = await findOr404(
    platform.models.users
      .findOneAndUpdate({ _id: known._id }, { $set: { ...account, provisionedBy: null } }, AFTER)
      .lean<UserDocument>(),
  );
  if (taken.emailVerifiedAt === null) await awaitProof(platform, userId);
  else await releaseAwaitingMemberships(platform, userId);
  return taken;
}
