// The Compliance Performance Index: scoreboard, analytics, report. The routes of feedback are in `feedback.routes.ts`.
import { reportCompliance } from './compliance-report.service.ts';
import { loadScoreboard } from './cpi.service.ts';
import { buildAnalytics } from './cpi-analytics.service.ts';
import { route } from '../../http/declaration/define-route.ts';
import { CPI, HOUR } from '../../http/declaration/rate-limits.ts';
import { cpiAnalyticsView, complianceReportView, scoreboardView } from './cpi.schemas.ts';

const perHour = { name: 'cpiReport', max: 'ASSAY_LIMIT_CPI_REPORT', per: HOUR } as const;
const read = { auth: 'reader', codes: ['RATE_LIMITED'] } as const;

export const cpiRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The index, its rates, and the trend of 30 days',
    ...read,
    limits: [CPI],
    data: scoreboardView,
    handler: ({ ctx }) => loadScoreboard(ctx),
  }),
  route({
    method: 'get',
    path: '/analytics',
    summary: 'What people corrected: by agent, by reason, and how soon',
    ...read,
    limits: [CPI],
    heavy: true,
    data: cpiAnalyticsView,
    handler: ({ ctx }) => buildAnalytics(ctx),
  }),
  route({
    method: 'get',
    path: '/compliance-report',
    summary: 'Index, reviews and chain on one page',
    ...read,
    allWorkspaces: true,
    limits: [{ ...perHour, by: 'organization', code: 'RATE_LIMITED' }],
    data: complianceReportView,
    handler: ({ ctx }) => reportCompliance(ctx),
  }),
];
