// Inputs and views of the calendar of deadlines and of its feed tokens.
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { id, instant } from '../../../http/declaration/views.ts';

export const calendarQuery = z.object({
  token: optional(z.string().max(100)).describe('A feed token instead of a session'),
});
export const mintedFeedView = z.object({
  _id: id,
  token: z.string().describe('Shown in this answer only'),
  url: z.string().describe('Where a calendar subscribes'),
  createdAt: instant,
});
/** A new feed; only this answer contains the token. */
export type MintedFeed = z.input<typeof mintedFeedView>;
export const revokedFeedView = z.object({ revoked: z.boolean() });

nameSchemas({ CalendarFeed: mintedFeedView, RevokedCalendarFeed: revokedFeedView });
