// Routes of the insurance feed: to look at it, and to release it (document 2, section 4.2).
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { insuranceFeedView } from './insurance-feed.schemas.ts';
import { generateFeed, releaseFeed } from './insurance-feed.service.ts';

const feed = {
  path: '/insurance-feed',
  auth: 'user',
  roles: MANAGERS,
  heavy: true,
  data: insuranceFeedView,
} as const;

/** These routes are mounted before those of a policy by id. */
export const insuranceFeedRoutes = [
  route({
    method: 'get',
    summary: 'The current month of the organisation in counts, as an insurer would see it',
    ...feed,
    handler: ({ ctx }) => generateFeed(ctx.platform, ctx.tenant.organizationId),
  }),
  route({
    method: 'post',
    summary: 'The same, on record as handed on; only for organisations that have opted in',
    ...feed,
    writes: 'own',
    audit: { action: 'policy.insurance_feed', resource: 'insurance_feed' },
    async handler({ ctx }) {
      const released = await releaseFeed(ctx);
      const { period, digest } = released;
      return reply(200, released, { audit: { metadata: { month: period.month, digest } } });
    },
  }),
];
