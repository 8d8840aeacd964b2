// Notifications, which the dashboard shows to one member of one organisation; deleted after 90 days.
import { Schema } from 'mongoose';
import { type NoticeEvent, NOTIFICATION_TYPES } from '../../domain/events/event-table.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

const KEPT_SECONDS = 90 * 24 * 3600;

export const notificationSchema = defineCollection(
  'notifications',
  {
    /** The recipient. */
    userId: { type: Schema.Types.ObjectId, required: true },
    type: { type: String, enum: NOTIFICATION_TYPES, default: 'system' },
    title: { type: String, required: true },
    body: { type: String, default: null },
    isRead: { type: Boolean, default: false },
    /** A route of the dashboard. */
    link: { type: String, default: null },
    /** The user who sent a broadcast. */
    sentBy: { type: Schema.Types.ObjectId, default: null },
    /** The event; absent: a broadcast, or a notice to managers. */
    event: typeAs<NoticeEvent | undefined>(String),
    /** How many of the event a digest counts; absent: it is about one. */
    count: Number,
    /** The decision that it is about: it is deleted with the decision's contents. */
    subject: String,
  },
  { timestamps: true },
);
export interface NotificationDocument extends DocumentOf<typeof notificationSchema> {}
notificationSchema.index(
  { organizationId: 1, userId: 1, createdAt: -1, _id: -1 },
  { name: 'newest' },
);
notificationSchema.index({ organizationId: 1, userId: 1, isRead: 1 }, { name: 'unread' });
notificationSchema.index({ createdAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
notificationSchema.index(
  { organizationId: 1, subject: 1 },
  { name: 'subject', partialFilterExpression: { subject: { $type: 'string' } } },
);
