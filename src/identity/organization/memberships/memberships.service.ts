// Writes all memberships. Changes within an organisation are serialised, so an active owner always remains.
// Call every function that writes in a transaction.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import { getUpperRooms } from '../../upper-rooms.ts';
import { ENTERABLE, NOT_PENDING } from '../../../domain/identity/standing.ts';
import type { MembershipDocument } from './memberships.model.ts';

/** Absent members get the defaults of the schema. */
export type NewMembership = Partial<Omit<MembershipDocument, 'organizationId' | 'userId'>> & {
  organizationId: string;
  userId: string;
  role: Role;
};

interface Account {
  _id: Types.ObjectId;
  /** The organisation whose directory made it; null: none did. */
  provisionedBy: Types.ObjectId | null;
}

type Change = Partial<
  Omit<MembershipDocument, '_id' | 'organizationId' | 'userId' | 'createdAt' | 'updatedAt'>
>;

/** Which memberships; absent: all. */
export interface MembershipChoice {
  role?: Role;
  userIds?: readonly string[];
}

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
const ACTIVE_OWNER = { role: 'owner', isActive: true, ...NOT_PENDING } as const;
const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;

/**
 * Call it first: of two transactions that lock an organisation, one waits and then sees the writes of the other.
 * @throws AppError `NOT_FOUND` when the organisation is gone
 */
export async function lockOrganization(
  { models }: Platform,
  organizationId: string,
): Promise<void> {
  const { matchedCount } = await models.organizations.updateOne(
    { _id: organizationId },
    { $inc: { membershipChanges: 1 } },
    { timestamps: false },
  );
  if (matchedCount === 0) throw new AppError('NOT_FOUND', 'No such organisation');
}

/**
 * Takes the account from the directory that created it: no directory may change it, and providers sign in to it only
 * by its verified domain. `keptBy`: the organisation whose directory may keep it, if that created it.
 */
export async function releaseAccount<U extends Account>(
  { models }: Platform,
  user: U,
  keptBy?: string,
): Promise<U> {
  const { _id, provisionedBy } = user;
  if (provisionedBy === null || provisionedBy.toHexString() === keptBy) return user;
  const released = { $set: { provisionedBy: null } };
  await models.users.updateOne({ _id }, released, { timestamps: false });
  return { ...user, provisionedBy: null };
}

/** Checks that an owner remains after a change of many members. @throws AppError `VALIDATION_ERROR` */
export async function requireRemainingOwner(
  platform: Platform,
  organizationId: string,
): Promise<void> {
  await lockOrganization(platform, organizationId);
  await requireActiveOwner(platform, organizationId);
}

/** Whether no other owner is active. */
export async function isLastOwner(
  { models }: Platform,
  { _id, organizationId }: MembershipDocument,
): Promise<boolean> {
  const other = { organizationId, ...ACTIVE_OWNER, _id: { $ne: _id } };
  return (await models.memberships.exists(other)) === null;
}

export function findMembership(
  { models }: Platform,
  organizationId: string,
  userId: string,
): Promise<MembershipDocument | null> {
  return models.memberships.findOne({ organizationId, userId }).lean<MembershipDocument>();
}

/** Lists memberships in any standing, newest first. */
export function listMemberships(
  { models }: Platform,
  organizationId: string,
  choice: MembershipChoice = {},
): Promise<MembershipDocument[]> {
  const where = toChoiceFilter(organizationId, choice);
  return models.memberships.find(where).sort(NEWEST_FIRST).lean<MembershipDocument[]>();
}

/** Finds the membership if the user may enter the organisation now. */
export function findEnterableMembership(
  { models }: Platform,
  organizationId: string,
  userId: string,
): Promise<MembershipDocument | null> {
  return models.memberships
    .findOne({ organizationId, userId, ...ENTERABLE })
    .lean<MembershipDocument>();
}

/** Lists every membership of a user except offers, including those that cannot be entered, oldest first. */
export function listUserMemberships(
  { models }: Platform,
  userId: string,
): Promise<MembershipDocument[]> {
  return models.memberships
    .find({ userId, ...NOT_PENDING }, null, { crossTenant: true, sort: OLDEST_FIRST })
    .lean<MembershipDocument[]>();
}

/** Lists the memberships that a user may enter, oldest first. */
export function listEnterableMemberships(
  { models }: Platform,
  userId: string,
): Promise<MembershipDocument[]> {
  return models.memberships
    .find({ userId, ...ENTERABLE }, null, { crossTenant: true, sort: OLDEST_FIRST })
    .lean<MembershipDocument[]>();
}

/** Adds a membership, and releases the account of a user in two organisations. `account`: the user's, if loaded. */
export async function addMembership(
  platform: Platform,
  membership: NewMembership,
  account?: Account,
): Promise<MembershipDocument> {
  const { organizationId, userId, isPending = false } = membership;
  if (account) await releaseAccount(platform, account, organizationId);
  else if (!isPending) await releaseMemberAccount(platform, organizationId, userId);
  await getUpperRooms(platform).queueMemberHalt(organizationId, userId);
  return insertOne(platform.models.memberships, membership);
}

/** Records that the user has entered by their own proof, which accepts an offer. */
export async function enterMembership(
  platform: Platform,
  { _id, organizationId, userId, enteredAt, isPending }: MembershipDocument,
  { ip, at }: { ip: string | null; at: Date },
): Promise<void> {
  if (isPending)
    await releaseMemberAccount(platform, organizationId.toHexString(), userId.toHexString());
  const login = { lastLoginAt: at, lastLoginIp: ip };
  const entry = { isPending: false, enteredAt: enteredAt ?? at };
  await platform.models.memberships.updateOne(
    { _id, organizationId },
    { $set: { ...login, ...entry } },
    { timestamps: false },
  );
}

/** Whether the user belongs to another organisation as well. */
export async function isMemberElsewhere(
  { models }: Platform,
  organizationId: string,
  userId: Types.ObjectId,
): Promise<boolean> {
  const elsewhere = { userId, organizationId: { $ne: organizationId }, ...NOT_PENDING };
  const other = await models.memberships
    .findOne(elsewhere, '_id', { crossTenant: true })
    .lean<Pick<MembershipDocument, '_id'>>();
  return other !== null;
}

/**
 * Changes a membership; a suspension by the team ends sessions.
 * @throws AppError `NOT_FOUND`; `VALIDATION_ERROR` when no active owner would remain
 */
export async function changeMembership(
  platform: Platform,
  before: MembershipDocument,
  change: Change,
): Promise<MembershipDocument> {
  const { _id, organizationId } = before;
  const after = await findOr404(
    platform.models.memberships
      .findOneAndUpdate({ _id, organizationId }, { $set: change }, AFTER)
      .lean<MembershipDocument>(),
  );
  if ('role' in change || 'isActive' in change) await keepOwner(platform, before);
  await endSuspended(platform, before, change);
  if (after.isActive !== before.isActive) await queueHalt(platform, before);
  return after;
}

/** Gives many members a role; the caller must then check the owners with `requireRemainingOwner`. */
export async function changeRoles(
  { models }: Platform,
  organizationId: string,
  { userIds, role }: { userIds: string[]; role: Role },
): Promise<void> {
  const where = { organizationId, userId: { $in: userIds } };
  await models.memberships.updateMany(where, { $set: { role } });
}

/** Opens the memberships, in every organisation, that waited for the proof of the user's mailbox. */
export async function releaseAwaitingMemberships(
  { models }: Platform,
  userId: string,
): Promise<void> {
  await models.memberships
    .updateMany({ userId, awaitsProof: true }, { $set: { awaitsProof: false } })
    .setOptions({ crossTenant: true });
}

/** Lets all memberships of a user wait for a proof, because an unproved registrant has claimed the address. */
export async function awaitProof({ models }: Platform, userId: string): Promise<void> {
  await models.memberships
    .updateMany({ userId }, { $set: { awaitsProof: true } })
    .setOptions({ crossTenant: true });
}

/** Suspends all members but one; returns how many were active. */
export async function suspendOthers(
  platform: Platform,
  organizationId: string,
  userId: Types.ObjectId,
): Promise<number> {
  const { memberships } = platform.models;
  const others = { organizationId, userId: { $ne: userId }, isActive: true };
  const suspended = await memberships.find(others).lean<MembershipDocument[]>();
  const where = { organizationId, _id: { $in: suspended.map(({ _id }) => _id) } };
  await memberships.updateMany(where, { $set: { isActive: false, deactivatedBy: 'team' } });
  for (const membership of suspended) await queueHalt(platform, membership);
  return suspended.length;
}

/**
 * Removes a member and ends their sessions here.
 * @throws AppError `VALIDATION_ERROR` when no active owner would remain
 */
export async function removeMembership(
  platform: Platform,
  before: MembershipDocument,
): Promise<void> {
  const { _id, organizationId } = before;
  await platform.models.memberships.deleteOne({ _id, organizationId });
  await keepOwner(platform, before);
  await endSessions(platform, before, 'removal');
  await queueHalt(platform, before);
}

/** Halts what agents do for a person who is no active member any more, or lets it go on. */
const queueHalt = (
  platform: Platform,
  { organizationId, userId }: MembershipDocument,
): Promise<void> =>
  getUpperRooms(platform).queueMemberHalt(organizationId.toHexString(), userId.toHexString());

/** Deletes every membership of an organisation; returns the users. */
export async function removeAllMemberships(
  { models }: Platform,
  organizationId: string,
): Promise<Types.ObjectId[]> {
  const userIds = await models.memberships.distinct('userId', { organizationId });
  await models.memberships.deleteMany({ organizationId });
  return userIds;
}

/** @throws AppError `VALIDATION_ERROR` when no active owner is left, which aborts the transaction */
async function requireActiveOwner({ models }: Platform, organizationId: string): Promise<void> {
  if (!(await models.memberships.exists({ organizationId, ...ACTIVE_OWNER })))
    throw new AppError('VALIDATION_ERROR', 'An organisation needs an active owner');
}

async function keepOwner(
  platform: Platform,
  { organizationId, role, isActive }: MembershipDocument,
): Promise<void> {
  if (role === 'owner' && isActive)
    await requireActiveOwner(platform, organizationId.toHexString());
}

/** Releases the account of a member of this organisation, unless it was created here. */
async function releaseMemberAccount(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<void> {
  const user = platform.models.users.findById(userId, 'provisionedBy').lean<Account>();
  await releaseAccount(platform, await findOr404(user), organizationId);
}

/** Ends the member's open sessions in the organisation after a suspension or removal. */
async function endSessions(
  { models, clock }: Platform,
  { organizationId, userId }: MembershipDocument,
  revokedBy: 'suspension' | 'removal',
): Promise<void> {
  await models.sessions.updateMany(
    { organizationId, userId, revokedAt: null },
    { $set: { revokedAt: clock.now(), revokedBy } },
  );
}

/** Ends sessions at a suspension, and again when it is lifted, since a simultaneous refresh may have succeeded. */
async function endSuspended(
  platform: Platform,
  before: MembershipDocument,
  change: Change,
): Promise<void> {
  const isLifted = before.deactivatedBy === 'team' && change.isActive === true;
  if (change.deactivatedBy === 'team' || isLifted)
    await endSessions(platform, before, 'suspension');
}

function toChoiceFilter(organizationId: string, { role, userIds }: MembershipChoice) {
  return {
    organizationId,
    ...(role && { role }),
    ...(userIds && { userId: { $in: userIds } }),
  };
}
