// The one way by which other resources find the present members of an organisation: its owners, by role, by name.
import type { mongo, Types } from 'mongoose';
import type { Role } from '../../../domain/identity/roles.ts';
import { PRESENT } from '../../../domain/identity/standing.ts';
import type { Platform } from '../../../platform/platform.ts';

/** A member who is neither suspended nor waits for a proof, and has accepted. */
export interface PresentMember {
  userId: Types.ObjectId;
  role: Role;
  /** When the membership began. */
  createdAt: Date;
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

export function createPresentMembers({ models }: Pick<Platform, 'models'>) {
  /** Lists members by the age of their membership, the oldest first. */
  async function listMembers(
    organizationId: Id,
    { roles, userIds, except, limit = 0, session }: MemberChoice = {},
  ): Promise<Types.ObjectId[]> {
    const userId = { ...(userIds && { $in: userIds }), ...(except && { $nin: except }) };
    const where = {
      organizationId,
      ...(roles && { role: { $in: [...roles] } }),
      ...((userIds || except) && { userId }),
      ...PRESENT,
    };
    const found = await models.memberships
      .find(where, 'userId', session ? { session } : {})
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .lean<Pick<PresentMember, 'userId'>[]>();
    return found.map((member) => member.userId);
  }

  return {
    listMembers,

    /** Lists the owners, the longest-standing first. */
    listOwners(organizationId: Id): Promise<Types.ObjectId[]> {
      return listMembers(organizationId, { roles: ['owner'] });
    },

    /** Null: not a member, or not present. */
    findMember(organizationId: Id, userId: Id): Promise<PresentMember | null> {
      return models.memberships
        .findOne({ organizationId, userId, ...PRESENT }, MEMBERS)
        .lean<PresentMember>();
    },
  };
}
export type PresentMembers = ReturnType<typeof createPresentMembers>;
