// Liveness and readiness, without credentials (document 1, section 1).
import { z } from 'zod';
import { route } from '../../http/declaration/define-route.ts';
import { requireReady } from './readiness.service.ts';

export const healthRoutes = [
  route({
    method: 'get',
    path: '/health',
    openQuery: true,
    summary: 'The process answers',
    auth: 'public',
    data: z.object({ status: z.literal('ok') }),
    handler: () => Promise.resolve({ status: 'ok' as const }),
  }),
  route({
    method: 'get',
    path: '/ready',
    openQuery: true,
    summary: 'Requests can be served: database, clock, not draining',
    auth: 'public',
    codes: ['SERVICE_UNAVAILABLE'],
    data: z.object({ status: z.literal('ready') }),
    async handler({ ctx }) {
      await requireReady(ctx.platform);
      return { status: 'ready' as const };
    },
  }),
];
