// Tokens with which calendars subscribe to an organisation's deadlines: one per member, stored as a digest.
import { Schema, type Types } from 'mongoose';
import { guardTenancy } from '../../../platform/mongo/tenancy.ts';

export interface CalendarFeedDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  userId: Types.ObjectId;
  /** Null: deadlines of all workspaces. */
  workspaceId: Types.ObjectId | null;
  tokenHash: string;
  createdAt: Date;
}

export const calendarFeedSchema = new Schema<CalendarFeedDocument>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    tokenHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'calendar_feeds', autoIndex: false },
);
calendarFeedSchema.plugin(guardTenancy);
calendarFeedSchema.index({ organizationId: 1, userId: 1 }, { name: 'member', unique: true });
calendarFeedSchema.index({ tokenHash: 1 }, { name: 'hash', unique: true });
