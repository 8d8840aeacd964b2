// Tokens with which calendars subscribe to an organisation's deadlines: one per member, stored as a digest.
import { Schema } from 'mongoose';
import { defineCollection, type DocumentOf } from '../../../platform/mongo/collection.ts';

export const calendarFeedSchema = defineCollection('calendar_feeds', {
  userId: { type: Schema.Types.ObjectId, required: true },
  /** Null: deadlines of all workspaces. */
  workspaceId: { type: Schema.Types.ObjectId, default: null },
  tokenHash: { type: String, required: true },
  createdAt: { type: Date, required: true },
});
export interface CalendarFeedDocument extends DocumentOf<typeof calendarFeedSchema> {}
calendarFeedSchema.index({ organizationId: 1, userId: 1 }, { name: 'member', unique: true });
calendarFeedSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
