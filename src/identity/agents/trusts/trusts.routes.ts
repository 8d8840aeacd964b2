// Routes of the trusts of an agent: list, create, end.
import { z } from 'zod';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { deletedTrustView, trustInput, trustParams, trustView } from './trusts.schemas.ts';
import { listTrusts, checkTrustIssuer, createTrust, removeTrust } from './trusts.service.ts';

const manage = { auth: 'user', roles: MANAGERS } as const;
const toAudit = (action: string) => ({ action, resource: 'agent' });

export const trustRoutes = [
  route({
    method: 'get',
    path: '/:id/trusts',
    summary: 'By the tokens of which issuers a workload may act as an agent',
    auth: 'reader',
    agentScope: 'filtered',
    params: byId,
    data: z.array(trustView),
    handler: ({ ctx, params }) => listTrusts(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/:id/trusts',
    summary: 'Let workloads act as an agent without a key, by the tokens of an issuer',
    verified: true,
    ...manage,
    status: 201,
    params: byId,
    body: trustInput,
    data: trustView,
    codes: ['INVALID_OPERATION', 'SSRF_BLOCKED'],
    audit: toAudit('agent.trust_create'),
    prepare: ({ ctx, body }) => checkTrustIssuer(ctx.platform, body),
    async handler({ ctx, params, body }) {
      const trust = await createTrust(ctx, params.id, body);
      const { _id, issuer, audience, subject, claims, grant } = trust;
      const metadata = { trustId: String(_id), issuer, audience, subject, claims, grant };
      return reply(201, trust, { audit: { metadata } });
    },
  }),
  route({
    method: 'delete',
    path: '/:id/trusts/:trustId',
    summary: 'End a trust, and the run tokens that were given by it',
    ...manage,
    params: trustParams,
    data: deletedTrustView,
    audit: toAudit('agent.trust_delete'),
    async handler({ ctx, params }) {
      const { trustId } = params;
      const ended = await removeTrust(ctx, params);
      return reply(200, ended, { audit: { metadata: { trustId } } });
    },
  }),
];
