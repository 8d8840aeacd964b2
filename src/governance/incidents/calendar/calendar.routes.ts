// Routes of the calendar of deadlines and of its feed tokens (document 3, section 4.2: an addition).
import { z } from 'zod';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { calendarQuery, mintedFeedView, revokedFeedView } from './calendar.schemas.ts';
import { mintFeedToken, revokeFeedToken } from './calendar-feeds.service.ts';
import { renderCalendar } from './calendar.service.ts';

const plan = 'multiClockIncidents' as const;
const toAudit = (action: string) => ({ action, resource: 'calendar_feed' });

export const calendarRoutes = [
  route({
    method: 'get',
    path: '/calendar.ics',
    summary:
      'Open reports as a calendar: of the newest 500 incidents with any, the 2,000 that are due first',
    auth: 'calendar',
    plan,
    kind: 'file',
    mediaType: 'text/calendar',
    heavy: true,
    query: calendarQuery,
    data: z.unknown(),
    async handler({ ctx }) {
      const body = await renderCalendar(ctx);
      return reply(200, { type: 'text/calendar; charset=utf-8', filename: 'incidents.ics', body });
    },
  }),
  route({
    method: 'post',
    path: '/calendar/token',
    summary: 'Mint the caller’s feed token; an earlier one is void at once',
    auth: 'user',
    plan,
    status: 201,
    data: mintedFeedView,
    audit: toAudit('incident.calendar_token_minted'),
    handler: async ({ ctx }) => reply(201, await mintFeedToken(ctx)),
  }),
  route({
    method: 'delete',
    path: '/calendar/token',
    summary: 'Revoke the caller’s feed token',
    auth: 'user',
    plan,
    data: revokedFeedView,
    audit: toAudit('incident.calendar_token_revoked'),
    handler: ({ ctx }) => revokeFeedToken(ctx),
  }),
];
