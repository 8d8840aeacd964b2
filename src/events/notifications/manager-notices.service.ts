// Notifies owners and admins in the dashboard, except those who opted out of the notification's type.
import type { mongo, Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { AccountReader } from '../../identity/auth/accounts/account-reader.service.ts';
import type { PresentMembers } from '../../identity/organization/memberships/present-members.service.ts';
import type { NotificationDocument } from './notifications.model.ts';

export type ManagerNotice = Pick<NotificationDocument, 'type' | 'title' | 'body' | 'link'>;

interface Deps {
  accountReader: AccountReader;
  presentMembers: PresentMembers;
}

export function createManagerNotices(
  { models }: Pick<Platform, 'models'>,
  { accountReader, presentMembers }: Deps,
) {
  async function findRecipients(
    organizationId: string,
    type: ManagerNotice['type'],
    session: mongo.ClientSession | undefined,
  ): Promise<Types.ObjectId[]> {
    const members = await presentMembers.listMembers(organizationId, { roles: MANAGERS, session });
    const accounts = await accountReader.listPreferences(members, session);
    // Security notices ignore opt-outs, for they are about weakened controls.
    return accounts
      .filter(
        ({ preferences: { notificationOptOuts } }) =>
          type === 'security' || !notificationOptOuts?.inApp.includes(type),
      )
      .map(({ userId }) => userId);
  }

  return {
    /** Writes in the session's transaction; without a session, in that of the request. */
    async notifyManagers(
      organizationId: string,
      notice: ManagerNotice,
      session?: mongo.ClientSession,
    ): Promise<void> {
      const recipients = await findRecipients(organizationId, notice.type, session);
      const rows = recipients.map((userId) => ({ ...notice, organizationId, userId }));
      await models.notifications.insertMany(rows, session ? { session } : {});
    },

    /** Notifies every owner, whatever they prefer, in the transaction of the request; returns their ids. */
    async notifyOwners(
      organizationId: string,
      notice: Omit<ManagerNotice, 'link'>,
    ): Promise<Types.ObjectId[]> {
      const owners = await presentMembers.listOwners(organizationId);
      const rows = owners.map((userId) => ({ ...notice, organizationId, userId }));
      await models.notifications.insertMany(rows);
      return owners;
    },
  };
}
export type ManagerNotices = ReturnType<typeof createManagerNotices>;
