// Counts what a member was notified of lately, so that a storm becomes a digest.
import { Schema } from 'mongoose';
import { NOTICE_EVENTS } from '../../../domain/events/event-table.ts';
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

const KEPT_SECONDS = 7 * 24 * 3600;

export const noticeWindowSchema = defineCollection('notice_windows', {
  userId: { type: Schema.Types.ObjectId, required: true },
  event: { type: String, enum: NOTICE_EVENTS, required: true },
  endsAt: { type: Date, required: true },
  /** Notices sent one by one. */
  sent: { type: Number, required: true },
  /** Notices that the next digest counts. */
  gathered: { type: Number, required: true },
  /** The notification in the dashboard that counts what is gathered. */
  digestId: { type: Schema.Types.ObjectId, required: true },
});
/** The window of one member and event. */
export interface NoticeWindowDocument extends DocumentOf<typeof noticeWindowSchema> {}
noticeWindowSchema.index(
  { organizationId: 1, userId: 1, event: 1 },
  { name: 'member', unique: true },
);
noticeWindowSchema.index({ endsAt: 1 }, { name: 'expiry', expireAfterSeconds: KEPT_SECONDS });
