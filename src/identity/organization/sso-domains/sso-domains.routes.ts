// Routes of SSO e-mail domains: claim, verify by DNS, remove, and approve by the installation.
import { z } from 'zod';
import { MANAGERS, ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { approvalInput, claimInput, domainDeletedView, domainView } from './sso-domains.schemas.ts';
import {
  listSsoDomains,
  claimDomain,
  lookUpDomain,
  verifyDomain,
  removeDomain,
  approveDomain,
} from './sso-domains.service.ts';

const plan = { auth: 'user', plan: 'sso' } as const;
const own = { ...plan, roles: ['owner'] } as const;
const toAudit = (event: string) => ({
  action: `organization.sso_domain.${event}`,
  resource: 'ssoDomain',
});
const toAuditDetails = ({ domain }: { domain: string }) => ({
  audit: { detail: domain, metadata: { domain } },
});

export const ssoDomainRoutes = [
  route({
    method: 'get',
    path: '/sso/domains',
    summary: 'E-mail domains of the organisation, newest first',
    ...plan,
    roles: MANAGERS,
    data: z.array(domainView),
    handler: ({ ctx }) => listSsoDomains(ctx),
  }),
  route({
    method: 'post',
    path: '/sso/domains',
    summary: 'Claim an e-mail domain',
    verified: true,
    ...own,
    status: 201,
    body: claimInput,
    data: domainView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('claimed'),
    handler: async ({ ctx, body }) => {
      const claimed = await claimDomain(ctx, body.domain);
      return reply(201, claimed, toAuditDetails(claimed));
    },
  }),
  route({
    method: 'post',
    path: '/sso/domains/:id/verify',
    summary: 'Verify a claimed domain by its TXT record',
    ...own,
    params: byId,
    data: domainView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('verified'),
    prepare: ({ ctx, params }) => lookUpDomain(ctx, params.id),
    handler: async ({ ctx, params, prepared: records }) => {
      const verified = await verifyDomain(ctx, params.id, records);
      return reply(200, verified, toAuditDetails(verified));
    },
  }),
  route({
    method: 'delete',
    path: '/sso/domains/:id',
    summary: 'Give a domain up: it is routed nowhere, and free for others; sessions stay',
    ...own,
    params: byId,
    data: domainDeletedView,
    audit: toAudit('removed'),
    handler: async ({ ctx, params }) => {
      const removed = await removeDomain(ctx, params.id);
      return reply(200, { _id: removed._id, deleted: true }, toAuditDetails(removed));
    },
  }),
];

export const systemSsoDomainRoutes = [
  route({
    method: 'post',
    path: '/sso-domains',
    summary: 'Approve an e-mail domain of an organisation without a record',
    auth: 'user',
    roles: ROLES,
    systemRoles: ['owner', 'admin'],
    status: 201,
    body: approvalInput,
    data: domainView,
    codes: ['ORG_NOT_FOUND', 'INVALID_OPERATION'],
    audit: toAudit('approved'),
    handler: async ({ ctx, body }) => {
      const { organizationId, domain } = body;
      const approved = await approveDomain(ctx.platform, organizationId, domain);
      return reply(201, approved, {
        audit: { organizationId, detail: domain, metadata: { domain } },
      });
    },
  }),
];
