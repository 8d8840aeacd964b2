// Lists patterns of held decisions with their approvals.
import { listPatterns } from './patterns.service.ts';
import { route } from '../../../http/declaration/define-route.ts';
import { CPI } from '../../../http/declaration/rate-limits.ts';
import { patternView } from './patterns.schemas.ts';

export const patternRoutes = [
  route({
    method: 'get',
    path: '/patterns',
    summary: 'Patterns of held decisions, and how often in a row persons approved them',
    auth: 'reader',
    codes: ['RATE_LIMITED'],
    limits: [CPI],
    page: { limit: 25, max: 200 },
    data: patternView,
    handler: ({ ctx, page }) => listPatterns(ctx, page),
  }),
];
