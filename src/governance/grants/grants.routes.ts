// Standing grants: give one for what was approved, list them, and end them (guide: reviews).
import { MANAGERS, REVIEWERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  standingGrantInput,
  grantQuery,
  grantsRevocationInput,
  grantView,
  revocationInput,
  revokedView,
} from './grants.schemas.ts';
import { createGrant, getGrant, listGrants, revokeGrant, revokeGrants } from './grants.service.ts';

const read = { auth: 'reader' } as const;
const write = { auth: 'user', roles: REVIEWERS, writes: 'own' } as const;
const toAudit = (action: string) => ({ action, resource: 'grant' });

export const grantRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List standing grants, newest first',
    ...read,
    query: grantQuery,
    page: { limit: 50, max: 200 },
    data: grantView,
    handler: ({ ctx, query, page }) => listGrants(ctx, query, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Let through what the agent of an approved decision does with the same tool',
    ...write,
    status: 201,
    body: standingGrantInput,
    data: grantView,
    codes: ['INVALID_OPERATION', 'CONFLICT'],
    audit: toAudit('grant.give'),
    async handler({ ctx, body }) {
      const grant = await createGrant(ctx, body);
      const { uses, until, tool, fromTraceId } = grant;
      const metadata = { uses, until, tool, fromTraceId };
      return reply(201, grant, { audit: { resourceId: String(grant.id), metadata } });
    },
  }),
  route({
    method: 'post',
    path: '/revoke',
    summary: 'End all standing grants of an agent, or all that one person gave',
    ...write,
    roles: MANAGERS,
    body: grantsRevocationInput,
    data: revokedView,
    codes: ['CONFLICT'],
    audit: toAudit('grant.revoke_all'),
    async handler({ ctx, body }) {
      const { reason: _reason, ...whose } = body;
      const revoked = await revokeGrants(ctx, body);
      return reply(200, revoked, { audit: { metadata: { ...whose, ...revoked } } });
    },
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One standing grant, with the uses that are left',
    ...read,
    params: byId,
    data: grantView,
    handler: ({ ctx, params }) => getGrant(ctx, params.id),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'End a standing grant at once; again without effect',
    ...write,
    params: byId,
    body: revocationInput,
    data: grantView,
    codes: ['CONFLICT'],
    audit: toAudit('grant.revoke'),
    handler: ({ ctx, params, body }) => revokeGrant(ctx, params.id, body.reason),
  }),
];
