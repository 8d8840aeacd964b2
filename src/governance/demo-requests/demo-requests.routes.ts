// The public form to request a demonstration (document 1, section 8).
import { reply, route } from '../../http/declaration/define-route.ts';
import { HOUR } from '../../http/declaration/rate-limits.ts';
import { demoRequestedView, demoRequestInput } from './demo-requests.schemas.ts';
import { sendDemoRequest } from './demo-requests.service.ts';

const perHour = { name: 'demo', by: 'address', max: 'ASSAY_LIMIT_DEMO', per: HOUR } as const;

export const demoRequestRoutes = [
  route({
    method: 'post',
    path: '/',
    summary: 'Ask for a demonstration',
    auth: 'public',
    limits: [{ ...perHour, sparesAdministrators: true }],
    status: 201,
    body: demoRequestInput,
    data: demoRequestedView,
    async handler({ ctx, body }) {
      await sendDemoRequest(ctx.platform, body);
      return reply(201, { received: true });
    },
  }),
];
