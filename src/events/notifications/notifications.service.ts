// Notifications: members read and delete their own, managers broadcast to all members (document 3, section 4.10).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AFTER, findOr404, type Listed, listPage } from '../../platform/mongo/queries.ts';
import type { Notify } from '../../domain/events/announcement.ts';
import type { NotificationDocument } from './notifications.model.ts';
import type { broadcastInput, Broadcast } from './notifications.schemas.ts';

/** Has the id under both documented names. */
type NotificationView = NotificationDocument & { id: NotificationDocument['_id'] };

export function createNotificationService(
  { models }: Pick<Platform, 'models'>,
  { notify }: { notify: Notify },
) {
  const filterOwn = ({ organizationId }: Tenant, { userId }: User) => ({ organizationId, userId });

  return {
    async listNotifications(
      tenant: Tenant,
      user: User,
      { unreadOnly, ...page }: Page & { unreadOnly: boolean },
    ): Promise<Listed<NotificationView>> {
      const where = { ...filterOwn(tenant, user), ...(unreadOnly && { isRead: false }) };
      const { items, total } = await listPage(models.notifications, where, page);
      return { items: items.map(toView), total };
    },

    /** Counts all unread notifications of the caller, whatever the list shows. */
    countUnread(tenant: Tenant, user: User): Promise<number> {
      return models.notifications.countDocuments({ ...filterOwn(tenant, user), isRead: false });
    },

    /** @throws AppError `NOT_FOUND`, also for another person's */
    async markRead(tenant: Tenant, user: User, id: string): Promise<NotificationView> {
      const read = await findOr404(
        models.notifications
          .findOneAndUpdate(
            { _id: id, ...filterOwn(tenant, user) },
            { $set: { isRead: true } },
            AFTER,
          )
          .lean<NotificationDocument>(),
      );
      return toView(read);
    },

    async markAllRead(tenant: Tenant, user: User): Promise<{ updated: number }> {
      const { modifiedCount } = await models.notifications.updateMany(
        { ...filterOwn(tenant, user), isRead: false },
        { $set: { isRead: true } },
      );
      return { updated: modifiedCount };
    },

    /** @throws AppError `NOT_FOUND`, also for another person's */
    async remove(tenant: Tenant, user: User, id: string): Promise<{ deleted: number }> {
      const where = { _id: id, ...filterOwn(tenant, user) };
      await findOr404(models.notifications.findOneAndDelete(where).lean());
      return { deleted: 1 };
    },

    async removeAll(tenant: Tenant, user: User): Promise<{ deleted: number }> {
      const { deletedCount } = await models.notifications.deleteMany(filterOwn(tenant, user));
      return { deleted: deletedCount };
    },

    /** Creates a notification for every active member, and a mail unless they opted out. Not idempotent. */
    async sendBroadcast(
      { organizationId }: Tenant,
      { userId: sentBy }: User,
      { title, body, sendEmail = false }: z.output<typeof broadcastInput>,
    ): Promise<Broadcast> {
      const about = [{ title, body, sentBy, isMailed: sendEmail }];
      const recipients = await notify({ organizationId, event: 'broadcast', about });
      return { recipients, emails: sendEmail ? recipients : 0 };
    },
  };
}
export type NotificationService = ReturnType<typeof createNotificationService>;

function toView(notification: NotificationDocument): NotificationView {
  return { ...notification, id: notification._id };
}
