// Finds the members whom a notice may reach: present ones, by role or by name.
import type { mongo, Types } from 'mongoose';
import type { Role } from '../../../domain/identity/roles.ts';
import { PRESENT } from '../../../domain/identity/standing.ts';
import {
  DIGEST_DEFAULT,
  type DigestSettings,
  isWanted,
  NOTICE_ROLES,
  type NoticeEvent,
} from '../../../domain/events/notices.ts';
import type { Models } from '../../../models.ts';

/** Members who may act on the event: all of them, those of certain roles, or those named. */
export interface Audience {
  roles?: readonly Role[];
  userIds?: readonly string[] | undefined;
  /** Those who caused the event, or may not act on it. */
  except?: readonly (string | null)[];
}

/** A member, and what they take of an event. */
export interface Recipient {
  userId: Types.ObjectId;
  settings: DigestSettings;
  takesMail: boolean;
  isShown: boolean;
}

/** Maximum number of members that one notice reaches, longest-standing ones first. */
const RECIPIENTS_MAX = 500;

interface Account {
  _id: Types.ObjectId;
  preferences?: {
    notificationOptOuts?: { email: string[]; inApp: string[] };
    noticeDigest?: DigestSettings;
  };
}

/** Members who take the event on no channel are left out. */
export async function findRecipients(
  models: Pick<Models, 'memberships' | 'users'>,
  about: { organizationId: string; event: NoticeEvent },
  { audience, session }: { audience: Audience; session: mongo.ClientSession | undefined },
): Promise<Recipient[]> {
  const options = session ? { session } : {};
  const members = await models.memberships
    .find(createMemberFilter(about, audience), 'userId', options)
    .sort({ createdAt: 1, _id: 1 })
    .limit(RECIPIENTS_MAX)
    .lean<{ userId: Types.ObjectId }[]>();
  const ids = members.map(({ userId }) => userId);
  const accounts = await models.users
    .find({ _id: { $in: ids } }, 'preferences', options)
    .lean<Account[]>();
  return accounts
    .map((account) => toRecipient(account, about.event))
    .filter(({ takesMail, isShown }) => takesMail || isShown);
}

function createMemberFilter(
  { organizationId, event }: { organizationId: string; event: NoticeEvent },
  { roles = NOTICE_ROLES[event], userIds, except = [] }: Audience,
) {
  const others = except.filter((userId) => userId !== null);
  const userId = { ...(userIds && { $in: userIds }), $nin: others };
  return { organizationId, role: { $in: [...roles] }, userId, ...PRESENT };
}

function toRecipient({ _id, preferences }: Account, event: NoticeEvent): Recipient {
  const optOuts = preferences?.notificationOptOuts;
  return {
    userId: _id,
    settings: { ...DIGEST_DEFAULT, ...preferences?.noticeDigest },
    takesMail: isWanted(event, 'email', optOuts),
    isShown: isWanted(event, 'inApp', optOuts),
  };
}
