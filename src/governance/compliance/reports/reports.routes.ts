// Reports of compliance: made now or by schedule, listed, downloaded.
import { z } from 'zod';
import { MANAGERS, READERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { reportInput, reportView, scheduleInput, scheduleView } from './reports.schemas.ts';
import { keepReport, listReports, loadReportPdf, renderReport } from './reports.service.ts';
import { readSchedule, setSchedule } from './schedule.service.ts';

const plan = 'complianceMapping';
const read = { auth: 'user', roles: READERS, plan } as const;
const manage = { auth: 'user', roles: MANAGERS, plan } as const;

export const reportRoutes = [
  route({
    method: 'post',
    path: '/reports',
    summary: 'Make a report now: what is measured and attested of each clause, as PDF',
    ...manage,
    status: 201,
    heavy: true,
    body: reportInput,
    data: reportView,
    audit: { action: 'compliance.report.create', resource: 'compliance-report' },
    prepare: ({ ctx, body }) => renderReport(ctx, body.framework),
    async handler({ ctx, prepared: rendered }) {
      const made = await keepReport(ctx, rendered, ctx.user.userId);
      const { framework } = rendered;
      return reply(201, made, { audit: { resourceId: String(made.id), metadata: { framework } } });
    },
  }),
  route({
    method: 'get',
    path: '/reports',
    summary: 'List reports, newest first; an organisation keeps sixty',
    ...read,
    page: { limit: 25, max: 100 },
    data: reportView,
    handler: ({ ctx, page }) => listReports(ctx, page),
  }),
  route({
    method: 'get',
    path: '/reports/:id/pdf',
    summary: 'A report as PDF',
    ...read,
    kind: 'file',
    mediaType: 'application/pdf',
    params: byId,
    data: z.unknown(),
    async handler({ ctx, params: { id } }) {
      const body = await loadReportPdf(ctx.platform, ctx.tenant.organizationId, id);
      return reply(200, { type: 'application/pdf', filename: `compliance-${id}.pdf`, body });
    },
  }),
  route({
    method: 'get',
    path: '/report-schedule',
    summary: 'How often a report is made, and which members get it by mail',
    ...read,
    data: scheduleView,
    handler: ({ ctx }) => readSchedule(ctx),
  }),
  route({
    method: 'put',
    path: '/report-schedule',
    summary: 'Set how often a report is made, and which members get it by mail',
    ...manage,
    body: scheduleInput,
    data: scheduleView,
    audit: { action: 'compliance.report-schedule.updated', resource: 'compliance-report-schedule' },
    async handler({ ctx, body }) {
      const { framework, every, recipients } = body;
      const metadata = { framework, every, recipients: recipients.length };
      return reply(200, await setSchedule(ctx, body), { audit: { metadata } });
    },
  }),
];
