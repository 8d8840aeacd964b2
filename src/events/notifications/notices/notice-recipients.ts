// Finds the members whom a notice may reach: present ones, by role or by name.
import type { mongo, Types } from 'mongoose';
import type { Role } from '../../../domain/identity/roles.ts';
import {
  DIGEST_DEFAULT,
  type DigestSettings,
  isWanted,
  NOTICE_ROLES,
  type NoticeEvent,
} from '../../../domain/events/notices.ts';
import type {
  AccountPreferences,
  AccountReader,
} from '../../../identity/auth/accounts/account-reader.service.ts';
import type { PresentMembers } from '../../../identity/organization/memberships/present-members.service.ts';

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

/** How recipients are found. */
export interface RecipientDeps {
  accountReader: AccountReader;
  presentMembers: PresentMembers;
}

/** Members who take the event on no channel are left out. */
export async function findRecipients(
  { accountReader, presentMembers }: RecipientDeps,
  { organizationId, event }: { organizationId: string; event: NoticeEvent },
  { audience, session }: { audience: Audience; session: mongo.ClientSession | undefined },
): Promise<Recipient[]> {
  const { roles = NOTICE_ROLES[event], userIds, except = [] } = audience;
  const members = await presentMembers.listMembers(organizationId, {
    roles,
    userIds,
    except: except.filter((userId) => userId !== null),
    limit: RECIPIENTS_MAX,
    session,
  });
  return (await accountReader.listPreferences(members, session))
    .map((account) => toRecipient(account, event))
    .filter(({ takesMail, isShown }) => takesMail || isShown);
}

function toRecipient({ userId, preferences }: AccountPreferences, event: NoticeEvent): Recipient {
  const optOuts = preferences.notificationOptOuts;
  return {
    userId,
    settings: { ...DIGEST_DEFAULT, ...preferences.noticeDigest },
    takesMail: isWanted(event, 'email', optOuts),
    isShown: isWanted(event, 'inApp', optOuts),
  };
}
