// The one route for the console alone: it keeps the session token in a cookie that scripts cannot read.
import { ROLES } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import { toConsoleCookie } from '../../../http/declaration/console-cookie.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { consoleSessionView } from '../auth.schemas.ts';
import { measureSessionRest } from './sessions.service.ts';

export const consoleSessionRoutes = [
  route({
    method: 'post',
    path: '/session',
    summary: 'Keep the session token presented in a cookie, which pages of this service alone send',
    auth: 'user',
    roles: ROLES,
    whileDeactivated: true,
    limits: [AUTH],
    writes: 'none',
    data: consoleSessionView,
    async handler({ ctx, user: { expiresAt }, meta }) {
      const { 'sec-fetch-site': site = 'same-origin', authorization = '' } = meta.headers;
      if (site !== 'same-origin')
        throw new AppError('FORBIDDEN', 'Only the console may ask for it');
      const token = String(authorization).replace(/^\S+ +/, '');
      const cookies = [toConsoleCookie(token, measureSessionRest(ctx.platform, expiresAt))];
      return reply(200, { expiresAt: new Date(expiresAt) }, { cookies });
    },
  }),
];
