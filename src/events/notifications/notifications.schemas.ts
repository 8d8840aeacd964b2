// Inputs and views of notifications (document 3, sections 2 and 4.10).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { NOTICE_EVENTS, NOTIFICATION_TYPES } from '../../domain/events/event-table.ts';
import { id, instant, singleLine, multiLine } from '../../http/declaration/views.ts';

export const notificationQuery = z.object({
  unreadOnly: withDefault(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    false,
  ).describe('true: those that have not been read'),
});

export const broadcastInput = z.strictObject({
  title: singleLine(200),
  body: multiLine(1000),
  sendEmail: optional(z.boolean()).describe('Also by mail, to members who have not opted out'),
});

export const notificationView = z.object({
  _id: id,
  id,
  userId: id,
  organizationId: id,
  type: z.enum(NOTIFICATION_TYPES),
  title: z.string(),
  body: z.string().nullable(),
  isRead: z.boolean(),
  link: z.string().nullable(),
  sentBy: id.nullable(),
  event: z
    .enum(NOTICE_EVENTS)
    .exactOptional()
    .describe('What happened; absent: a broadcast, or a notice to managers'),
  count: z.int().exactOptional().describe('Of a digest: how many of the event it counts'),
  createdAt: instant,
  updatedAt: instant,
});
export const unreadExtra = z.object({ unreadCount: z.number().int() });
export const readAllView = z.object({ updated: z.number().int() });
export const deletedView = z.object({ deleted: z.number().int() });
export const broadcastView = z.object({
  recipients: z.number().int(),
  emails: z.number().int().describe('Mails that are on their way'),
});
export type Broadcast = z.input<typeof broadcastView>;

nameSchemas({
  BroadcastInput: broadcastInput,
  Notification: notificationView,
  ReadNotifications: readAllView,
  DeletedNotifications: deletedView,
  BroadcastReceipt: broadcastView,
});
