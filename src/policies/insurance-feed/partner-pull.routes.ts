// Insurers pull the feed of organisations that have opted in (document 1, section 7).
import { route } from '../../http/declaration/define-route.ts';
import { insuranceFeedView } from './insurance-feed.schemas.ts';
import { pullInput } from './partner-pull.schemas.ts';
import { pullFeed } from './partner-pull.service.ts';

export const partnerPullRoutes = [
  route({
    method: 'post',
    path: '/insurance-pull',
    summary: 'The insurance feed of an organisation that has opted in, for a partner who signs',
    auth: 'public',
    writes: 'none',
    bodyLimit: 8 * 1024,
    body: pullInput,
    data: insuranceFeedView,
    codes: ['FORBIDDEN', 'INVALID_TIMESTAMP', 'PARTNER_REPLAY_WINDOW', 'TOKEN_VERIFICATION_FAILED'],
    handler: ({ ctx, body, meta }) => pullFeed(ctx, body, meta),
  }),
];
