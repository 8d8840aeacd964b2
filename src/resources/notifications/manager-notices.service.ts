// Notifies owners and admins in the dashboard, except those who opted out of the notification's type.
import type { mongo, Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { PRESENT } from '../../domain/identity/standing.ts';
import type { NotificationDocument } from './notifications.model.ts';

export type ManagerNotice = Pick<NotificationDocument, 'type' | 'title' | 'body' | 'link'>;

export function createManagerNotices({ models }: Pick<Platform, 'models'>) {
  async function findRecipients(
    organizationId: string,
    type: ManagerNotice['type'],
    options: { session?: mongo.ClientSession },
  ): Promise<Types.ObjectId[]> {
    const members = await models.memberships
      .find({ organizationId, role: { $in: [...MANAGERS] }, ...PRESENT }, 'userId', options)
      .lean<{ userId: Types.ObjectId }[]>();
    const optedOut = { 'preferences.notificationOptOuts.inApp': type };
    const among = { _id: { $in: members.map(({ userId }) => userId) } };
    // Security notices ignore opt-outs, for they are about weakened controls.
    const where = type === 'security' ? among : { ...among, $nor: [optedOut] };
    const notified = await models.users
      .find(where, '_id', options)
      .lean<{ _id: Types.ObjectId }[]>();
    return notified.map(({ _id }) => _id);
  }

  return {
    /** Writes in the session's transaction; without a session, in that of the request. */
    async notifyManagers(
      organizationId: string,
      notice: ManagerNotice,
      session?: mongo.ClientSession,
    ): Promise<void> {
      const options = session ? { session } : {};
      const recipients = await findRecipients(organizationId, notice.type, options);
      const rows = recipients.map((userId) => ({ ...notice, organizationId, userId }));
      await models.notifications.insertMany(rows, options);
    },
  };
}
export type ManagerNotices = ReturnType<typeof createManagerNotices>;
