// The caller's notifications, and broadcasts to all members (document 3, section 4.10).
import { MANAGERS, ROLES } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  broadcastInput,
  broadcastView,
  deletedView,
  notificationQuery,
  notificationView,
  readAllView,
  unreadExtra,
} from './notifications.schemas.ts';
import {
  listNotifications,
  countUnread,
  markAllRead,
  markRead,
  removeNotifications,
  removeNotification,
  sendBroadcast,
} from './notifications.service.ts';

/** Members of every role may read and delete their own notifications. */
const own = { auth: 'user', roles: ROLES } as const;

export const notificationRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List the notifications of the caller, newest first',
    ...own,
    query: notificationQuery,
    page: { limit: 30, max: 100 },
    data: notificationView,
    extra: unreadExtra,
    async handler({ ctx, query, page }) {
      const listed = await listNotifications(ctx, { ...query, ...page });
      const unreadCount = await countUnread(ctx);
      return reply(200, listed, { extra: { unreadCount } });
    },
  }),
  route({
    method: 'patch',
    path: '/read-all',
    summary: 'Mark all notifications of the caller as read',
    ...own,
    data: readAllView,
    handler: ({ ctx }) => markAllRead(ctx),
  }),
  route({
    method: 'patch',
    path: '/:id/read',
    summary: 'Mark a notification as read',
    ...own,
    params: byId,
    data: notificationView,
    handler: ({ ctx, params }) => markRead(ctx, params.id),
  }),
  route({
    method: 'delete',
    path: '/',
    summary: 'Delete all notifications of the caller',
    ...own,
    data: deletedView,
    handler: ({ ctx }) => removeNotifications(ctx),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Delete a notification',
    ...own,
    params: byId,
    data: deletedView,
    handler: ({ ctx, params }) => removeNotification(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/broadcast',
    summary: 'Notify every active member',
    auth: 'user',
    roles: MANAGERS,
    verified: true,
    status: 201,
    body: broadcastInput,
    data: broadcastView,
    audit: { action: 'notification.broadcast', resource: 'notification' },
    async handler({ ctx, body }) {
      const sent = await sendBroadcast(ctx, body);
      return reply(201, sent, { audit: { metadata: { ...sent } } });
    },
  }),
];
