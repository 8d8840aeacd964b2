// The one way by which other resources find the present members of an organisation: its owners, by role, by name.
import type { mongo, Types } from 'mongoose';
import type { Role } from '../../../domain/identity/roles.ts';
import { PRESENT } from '../../../domain/identity/standing.ts';
import type { Delegation, MembershipDocument } from './memberships.model.ts';
import type { Platform } from '../../../platform/platform.ts';

/** A member who is neither suspended nor waits for a proof, and has accepted. */
export interface PresentMember {
  userId: Types.ObjectId;
  role: Role;
  /** When the membership began. */
  createdAt: Date;
}

/** A present member, with their names at provider and directory. */
export interface NamedMember {
  userId: Types.ObjectId;
  role: Role;
  names: string[];
  /** Whether they have signed on by the organisation's provider. */
  signsOn: boolean;
  /** Who decides in their place, and when. */
  delegations: readonly Delegation[];
}

/** Which members; absent: all. */
export interface MemberChoice {
  roles?: readonly Role[];
  userIds?: readonly string[] | undefined;
  except?: readonly string[];
  limit?: number;
  session?: mongo.ClientSession | undefined;
}

type Id = string | Types.ObjectId;

const MEMBERS = 'userId role createdAt';
const NAMES = 'userId role ssoId signOn directory delegations';

/** Lists members by the age of their membership, the oldest first. */
export async function listPresentMembers(
  platform: Platform,
  organizationId: Id,
  choice: MemberChoice = {},
): Promise<Types.ObjectId[]> {
  type Found = Pick<PresentMember, 'userId'>;
  const found = await findMembers<Found>(platform, organizationId, 'userId', choice);
  return found.map((member) => member.userId);
}

/** Lists members likewise, with the names that provider and directory have for them. */
export async function listNamedMembers(
  platform: Platform,
  organizationId: Id,
  choice: MemberChoice,
): Promise<NamedMember[]> {
  const found = await findMembers<MembershipDocument>(platform, organizationId, NAMES, choice);
  return found.map(toNamedMember);
}

/** Lists the owners, the longest-standing first. */
export function listOwners(platform: Platform, organizationId: Id): Promise<Types.ObjectId[]> {
  return listPresentMembers(platform, organizationId, { roles: ['owner'] });
}

/** Null: not a member, or not present. */
export function findPresentMember(
  { models }: Platform,
  organizationId: Id,
  userId: Id,
): Promise<PresentMember | null> {
  return models.memberships
    .findOne({ organizationId, userId, ...PRESENT }, MEMBERS)
    .lean<PresentMember>();
}

function findMembers<T>(
  { models }: Platform,
  organizationId: Id,
  members: string,
  { roles, userIds, except, limit = 0, session }: MemberChoice,
): Promise<T[]> {
  const userId = { ...(userIds && { $in: userIds }), ...(except && { $nin: except }) };
  const where = {
    organizationId,
    ...(roles && { role: { $in: [...roles] } }),
    ...((userIds || except) && { userId }),
    ...PRESENT,
  };
  return models.memberships
    .find(where, members, session ? { session } : {})
    .sort({ createdAt: 1, _id: 1 })
    .limit(limit)
    .lean<T[]>();
}

/** Members of earlier versions lack some. */
function toNamedMember({
  userId,
  role = 'viewer',
  ssoId,
  signOn,
  directory,
  delegations = [],
}: Partial<MembershipDocument> & Pick<MembershipDocument, 'userId'>): NamedMember {
  const emails = directory?.emails ?? [];
  const names = [ssoId, signOn?.subject, directory?.userName, ...emails.map(({ value }) => value)];
  return {
    userId,
    role,
    names: names.filter((name) => typeof name === 'string'),
    signsOn: Boolean(signOn),
    delegations,
  };
}
