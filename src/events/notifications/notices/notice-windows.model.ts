// Counts what a member was notified of lately, so that a storm becomes a digest.
import { Schema, type Types } from 'mongoose';
import {
  NOTICE_EVENTS,
  type NoticeEvent,
  type NoticeWindow,
} from '../../../domain/events/notices.ts';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

/** The window of one member and event. */
export interface NoticeWindowDocument extends NoticeWindow {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  userId: Types.ObjectId;
  event: NoticeEvent;
  /** The notification in the dashboard that counts what is gathered. */
  digestId: Types.ObjectId;
}

const KEPT_SECONDS = 7 * 24 * 3600;

export const noticeWindowSchema = new Schema<NoticeWindowDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    event: { type: String, enum: NOTICE_EVENTS, required: true },
    endsAt: { type: Date, required: true },
    sent: { type: Number, required: true },
    gathered: { type: Number, required: true },
    digestId: { type: Schema.Types.ObjectId, required: true },
  },
  { collection: 'notice_windows', autoIndex: false },
);
noticeWindowSchema.plugin(guardTenancy);
noticeWindowSchema.index(
  { organizationId: 1, userId: 1, event: 1 },
  { name: 'member', unique: true },
);
noticeWindowSchema.index({ endsAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
