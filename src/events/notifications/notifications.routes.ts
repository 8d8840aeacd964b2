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
    async handler({ tenant, user, query, page }, { notifications }) {
      const listed = await notifications.listNotifications(tenant, user, { ...query, ...page });
      const unreadCount = await notifications.countUnread(tenant, user);
      return reply(200, listed, { extra: { unreadCount } });
    },
  }),
  route({
    method: 'patch',
    path: '/read-all',
    summary: 'Mark all notifications of the caller as read',
    ...own,
    data: readAllView,
    handler: ({ tenant, user }, { notifications }) => notifications.markAllRead(tenant, user),
  }),
  route({
    method: 'patch',
    path: '/:id/read',
    summary: 'Mark a notification as read',
    ...own,
    params: byId,
    data: notificationView,
    handler: ({ tenant, user, params }, { notifications }) =>
      notifications.markRead(tenant, user, params.id),
  }),
  route({
    method: 'delete',
    path: '/',
    summary: 'Delete all notifications of the caller',
    ...own,
    data: deletedView,
    handler: ({ tenant, user }, { notifications }) => notifications.removeAll(tenant, user),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Delete a notification',
    ...own,
    params: byId,
    data: deletedView,
    handler: ({ tenant, user, params }, { notifications }) =>
      notifications.remove(tenant, user, params.id),
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
    async handler({ tenant, user, body }, { notifications }) {
      const sent = await notifications.sendBroadcast(tenant, user, body);
      return reply(201, sent, { audit: { metadata: { ...sent } } });
    },
  }),
];
