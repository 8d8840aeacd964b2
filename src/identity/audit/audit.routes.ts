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
    async handler({ tenant, query: { page, limit, ...filter } }, { auditLog }) {
      const { items, total } = await auditLog.listEntries(tenant, filter, {
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
    handler: ({ tenant }, { auditLog }) => auditLog.verify(tenant),
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
    handler: ({ tenant, query }, { auditExports }) =>
      Promise.resolve(auditExports.exportJson(tenant, query)),
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
    handler: ({ tenant, query }, { auditExports }) => auditExports.exportPdf(tenant, query),
  }),
];
