// The operations audit log: list, verify, export, and the evidence that outsiders check.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { createPageQuery, createPagination } from '../../http/declaration/paging.ts';
import {
  anchorParam,
  anchorsQuery,
  anchorsView,
  bundleQuery,
  proofFileQuery,
} from '../hash-chain/hash-chain.schemas.ts';
import { auditListExtra, auditListView, auditQuery, auditVerifyView } from './audit.schemas.ts';

const gate = { auth: 'user', roles: MANAGERS, plan: 'auditLog' } as const;

export const auditRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List audit entries',
    ...gate,
    query: auditQuery.extend(createPageQuery({ limit: 50, max: 200 })),
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
    path: '/bundle',
    summary:
      'Evidence bundle of the audit chain: its entries with the recipe to check them offline',
    ...gate,
    kind: 'file',
    mediaType: 'application/json',
    heavy: true,
    query: bundleQuery,
    data: z.unknown(),
    async handler({ tenant, user, query, meta: { ip, userAgent } }, { auditChainBundles }) {
      const bundle = await auditChainBundles.openBundle(tenant, query, { user, ip, userAgent });
      return reply(200, { type: 'application/json; charset=utf-8', ...bundle });
    },
  }),
  route({
    method: 'get',
    path: '/anchors',
    summary: 'Anchors: signed tree heads of the audit chain, newest first',
    ...gate,
    query: anchorsQuery,
    data: anchorsView,
    handler: ({ tenant, query }, { hashChain }) =>
      hashChain.anchors.listAnchors(tenant, query, 'audit'),
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/tlog-proof',
    summary:
      'Proof file (c2sp.org/tlog-proof) of an entry below an anchor, or of the anchor in the heads log',
    ...gate,
    kind: 'file',
    mediaType: 'text/plain',
    params: anchorParam,
    query: proofFileQuery,
    data: z.unknown(),
    async handler({ tenant, params, query: { sequence, head } }, { hashChain }) {
      const part = { sequence, isStamped: head === 'stamped', chain: 'audit' } as const;
      const body = await hashChain.proofs.writeProofFile(tenant, params.anchorId, part);
      const filename = `${params.anchorId}-${sequence ?? 'heads'}.tlog-proof`;
      return reply(200, { type: 'text/plain; charset=utf-8', filename, body });
    },
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
