// Erasure on request, in two steps: its impact is acknowledged, then it is executed once.
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  acknowledgementInput,
  erasureDetailView,
  erasureView,
  executionInput,
  impactView,
} from './erasure.schemas.ts';
import {
  recordAcknowledgement,
  executeErasure,
  listErasures,
  loadErasure,
} from './erasures.service.ts';

const write = { auth: 'user', roles: ['owner'], heavy: true } as const;
const toAudit = (event: string) => ({ action: `erasure.${event}`, resource: 'erasure' });

export const erasureRoutes = [
  route({
    method: 'post',
    path: '/acknowledge',
    summary:
      'What an erasure of these decisions, or of those about a person, would take, to be executed within 15 minutes',
    ...write,
    status: 201,
    bodyLimit: 2_000_000,
    body: acknowledgementInput,
    data: impactView,
    codes: ['ERASURE_BATCH_TOO_LARGE', 'NOT_FOUND'],
    audit: toAudit('acknowledge'),
    async handler({ ctx, body }) {
      const made = await recordAcknowledgement(ctx, body);
      const { acknowledgementId, impactDigest, counts } = made;
      const resourceId = acknowledgementId.toHexString();
      return reply(201, made, { audit: { resourceId, metadata: { impactDigest, counts } } });
    },
  }),
  route({
    method: 'post',
    path: '/execute',
    summary: 'Erase what was acknowledged; a certificate of it becomes an entry of the ledger',
    ...write,
    writes: 'own',
    body: executionInput,
    data: erasureDetailView,
    codes: ['NOT_FOUND', 'INVALID_OPERATION', 'CONFLICT'],
    audit: toAudit('execute'),
    async handler({ ctx, body }) {
      const done = await executeErasure(ctx, body);
      const { acknowledgementId, impactDigest, counts } = done;
      const resourceId = acknowledgementId.toHexString();
      return reply(200, done, { audit: { resourceId, metadata: { impactDigest, counts } } });
    },
  }),
  route({
    method: 'get',
    path: '/',
    summary: 'List erasures, newest first',
    auth: 'user',
    page: { limit: 25, max: 100 },
    data: erasureView,
    handler: ({ ctx, page }) => listErasures(ctx, page),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One erasure, with its certificate and the copies that are left',
    auth: 'user',
    heavy: true,
    params: byId,
    data: erasureDetailView,
    handler: ({ ctx, params }) => loadErasure(ctx, params.id),
  }),
];
