// Notifications, which the dashboard shows to one member of one organisation; deleted after 90 days.
import { Schema, type Types } from 'mongoose';
import {
  NOTIFICATION_TYPES,
  type NotificationType,
} from '../../domain/events/notification-types.ts';
import type { NoticeEvent } from '../../domain/events/notices.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export interface NotificationDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** The recipient. */
  userId: Types.ObjectId;
  type: NotificationType;
  title: string;
  body: string | null;
  isRead: boolean;
  /** A route of the dashboard. */
  link: string | null;
  /** The user who sent a broadcast. */
  sentBy: Types.ObjectId | null;
  /** The event; absent: a broadcast, or a notice to managers. */
  event?: NoticeEvent;
  /** How many of the event a digest counts; absent: it is about one. */
  count?: number;
  /** The decision that it is about: it is deleted with the decision's contents. */
  subject?: string;
  createdAt: Date;
  updatedAt: Date;
}

const KEPT_SECONDS = 90 * 24 * 3600;

export const notificationSchema = new Schema<NotificationDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    type: { type: String, enum: NOTIFICATION_TYPES, default: 'system' },
    title: { type: String, required: true },
    body: { type: String, default: null },
    isRead: { type: Boolean, default: false },
    link: { type: String, default: null },
    sentBy: { type: Schema.Types.ObjectId, default: null },
    event: String,
    count: Number,
    subject: String,
  },
  { collection: 'notifications', timestamps: true, autoIndex: false },
);
notificationSchema.plugin(guardTenancy);
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
