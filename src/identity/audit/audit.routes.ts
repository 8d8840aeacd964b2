// The operations audit log: list, verify, export.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { createPageQuery, createPagination } from '../../http/declaration/paging.ts';
import {
  auditListExtra,
  auditListQuery,
  auditListView,
  auditQuery,
  auditVerifyView,
} from './audit.schemas.ts';
import { listAuditEntries, verifyAuditLog } from './audit-log.service.ts';
import { exportAuditJson, exportAuditPdf } from './export/audit-export.service.ts';

const gate = { auth: 'user', roles: MANAGERS, plan: 'auditLog' } as const;

export const auditRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List audit entries',
    ...gate,
    query: auditListQuery.extend(createPageQuery({ limit: 50, max: 200 })),
    data: auditListView,
    extra: auditListExtra,
    async handler({ ctx, query: { page, limit, ...filter } }) {
      const { items, total } = await listAuditEntries(ctx, filter, {
        skip: (page - 1) * limit,
        limit,
      });
      const paged = createPagination({ page, limit }, total);
      return reply(200, { entries: items, pagination: paged }, { extra: { pagination: paged } });
    },
  }),
  route({
    method: 'get',
    path: '/verify',
    summary: 'Replay the audit chain',
    ...gate,
    heavy: true,
    data: auditVerifyView,
    handler: ({ ctx, tenant }) => verifyAuditLog(ctx.platform, tenant),
  }),
  route({
    method: 'get',
    path: '/export',
    summary: 'All entries that the filters find, newest first, as one JSON document',
    ...gate,
    kind: 'file',
    mediaType: 'application/json',
    heavy: true,
    query: auditQuery,
    data: z.unknown(),
    handler: ({ ctx, query }) => Promise.resolve(exportAuditJson(ctx, query)),
  }),
  route({
    method: 'get',
    path: '/export/pdf',
    summary:
      'The entries that the filters find, newest first, as PDF; more than ASSAY_LIMIT_PDF_ROWS are refused',
    ...gate,
    plan: 'auditLogPdf',
    kind: 'file',
    mediaType: 'application/pdf',
    heavy: true,
    codes: ['SERVICE_UNAVAILABLE'],
    query: auditQuery,
    data: z.unknown(),
    handler: ({ ctx, query }) => exportAuditPdf(ctx, query),
  }),
];
