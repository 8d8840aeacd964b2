// Notifications: members read and delete their own, managers broadcast to all members (document 3, section 4.10).
import type { z } from 'zod';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AFTER, findOr404, type Listed, listPage } from '../../platform/mongo/queries.ts';
import type { NotificationDocument } from './notifications.model.ts';
import type { broadcastInput, Broadcast } from './notifications.schemas.ts';
import type { UserContext } from '../../platform/context.ts';
import { notify } from './notices/notices.service.ts';

/** Has the id under both documented names. */
type NotificationView = NotificationDocument & { id: NotificationDocument['_id'] };

export async function listNotifications(
  { platform, tenant, user }: UserContext,
  { unreadOnly, ...page }: Page & { unreadOnly: boolean },
): Promise<Listed<NotificationView>> {
  const where = { ...filterOwn(tenant, user), ...(unreadOnly && { isRead: false }) };
  const { items, total } = await listPage(platform.models.notifications, where, page);
  return { items: items.map(toView), total };
}

/** Counts all unread notifications of the caller, whatever the list shows. */
export function countUnread({ platform, tenant, user }: UserContext): Promise<number> {
  return platform.models.notifications.countDocuments({
    ...filterOwn(tenant, user),
    isRead: false,
  });
}

/** @throws AppError `NOT_FOUND`, also for another person's */
export async function markRead(
  { platform, tenant, user }: UserContext,
  id: string,
): Promise<NotificationView> {
  const read = await findOr404(
    platform.models.notifications
      .findOneAndUpdate({ _id: id, ...filterOwn(tenant, user) }, { $set: { isRead: true } }, AFTER)
      .lean<NotificationDocument>(),
  );
  return toView(read);
}

export async function markAllRead({
  platform,
  tenant,
  user,
}: UserContext): Promise<{ updated: number }> {
  const { modifiedCount } = await platform.models.notifications.updateMany(
    { ...filterOwn(tenant, user), isRead: false },
    { $set: { isRead: true } },
  );
  return { updated: modifiedCount };
}

/** @throws AppError `NOT_FOUND`, also for another person's */
export async function removeNotification(
  { platform, tenant, user }: UserContext,
  id: string,
): Promise<{ deleted: number }> {
  const where = { _id: id, ...filterOwn(tenant, user) };
  await findOr404(platform.models.notifications.findOneAndDelete(where).lean());
  return { deleted: 1 };
}

export async function removeNotifications({
  platform,
  tenant,
  user,
}: UserContext): Promise<{ deleted: number }> {
  const { deletedCount } = await platform.models.notifications.deleteMany(filterOwn(tenant, user));
  return { deleted: deletedCount };
}

/** Creates a notification for every active member, and a mail unless they opted out. Not idempotent. */
export async function sendBroadcast(
  { platform, tenant: { organizationId }, user: { userId: sentBy } }: UserContext,
  { title, body, sendEmail = false }: z.output<typeof broadcastInput>,
): Promise<Broadcast> {
  const about = [{ title, body, sentBy, isMailed: sendEmail }];
  const recipients = await notify(platform, { organizationId, event: 'broadcast', about });
  return { recipients, emails: sendEmail ? recipients : 0 };
}

const filterOwn = ({ organizationId }: Tenant, { userId }: User) => ({ organizationId, userId });

function toView(notification: NotificationDocument): NotificationView {
  return { ...notification, id: notification._id };
}
