// Routes of SSO settings: the identity provider of an organisation, and the mapping of groups to roles.
import { z } from 'zod';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { idParam } from '../../../http/declaration/views.ts';
import {
  metadataInput,
  metadataView,
  roleMappingInput,
  roleMappingView,
  ssoDeletedView,
  ssoInput,
  ssoView,
  unlinkedView,
} from './sso-settings.schemas.ts';
import { fetchProviderMetadata, proposeSamlSettings } from './provider-metadata.service.ts';
import {
  showSsoSettings,
  tryOutSso,
  replaceSsoSettings,
  removeSsoSettings,
  removeSsoLink,
  loadRoleMapping,
  changeRoleMapping,
} from './sso-settings.service.ts';

const read = { auth: 'user', roles: MANAGERS, plan: 'sso' } as const;
/** Restricted to owners: the identity provider can sign in as any member, and the role mapping can make owners. */
const own = { auth: 'user', roles: ['owner'], plan: 'sso' } as const;
/** Limit of the metadata document as JSON. */
const METADATA_BYTES = 1024 * 1024;
const toAudit = (action: string) => ({ action, resource: 'organization' });

export const ssoRoutes = [
  route({
    method: 'get',
    path: '/sso',
    summary: 'Settings of the sign-on, and what the identity provider needs to know',
    ...read,
    data: ssoView,
    handler: ({ ctx }) => showSsoSettings(ctx),
  }),
  route({
    method: 'put',
    path: '/sso',
    summary: 'Set up or replace the sign-on',
    verified: true,
    ...own,
    body: ssoInput,
    data: ssoView,
    codes: ['SSRF_BLOCKED'],
    audit: toAudit('organization.sso.update'),
    prepare: ({ ctx, body }) => tryOutSso(ctx.platform, body),
    handler: async ({ ctx, tenant, body, prepared: found }) => {
      const { view, metadata } = await replaceSsoSettings(ctx, body, found);
      return reply(200, view, { audit: { resourceId: tenant.organizationId, metadata } });
    },
  }),
  route({
    method: 'delete',
    path: '/sso',
    summary: 'Remove the sign-on, and end the sessions it opened',
    ...own,
    data: ssoDeletedView,
    codes: ['NOT_FOUND'],
    audit: toAudit('organization.sso.delete'),
    handler: async ({ ctx, tenant }) => {
      const sessionsEnded = await removeSsoSettings(ctx);
      const metadata = { sessionsEnded };
      return reply(
        200,
        { deleted: true, sessionsEnded },
        { audit: { resourceId: tenant.organizationId, metadata } },
      );
    },
  }),
  route({
    method: 'post',
    path: '/sso/metadata',
    summary:
      'Read the settings of SAML from the metadata of an identity provider; nothing is saved',
    ...own,
    writes: 'none',
    bodyLimit: METADATA_BYTES,
    body: metadataInput,
    data: metadataView,
    codes: ['SSRF_BLOCKED', 'IDENTITY_PROVIDER_UNAVAILABLE'],
    prepare: ({ ctx, body }) => fetchProviderMetadata(ctx.platform, body),
    handler: ({ ctx, tenant, prepared: xml }) =>
      proposeSamlSettings(ctx.platform, tenant.organizationId, xml),
  }),
  route({
    method: 'delete',
    path: '/sso/links/:userId',
    summary:
      'Forget who a member is at the identity provider, so that the next sign-on links them again',
    ...own,
    params: z.object({ userId: idParam }),
    data: unlinkedView,
    audit: { action: 'organization.sso.unlink', resource: 'user' },
    handler: async ({ ctx, params }) => {
      await removeSsoLink(ctx, params.userId);
      return { unlinked: true } as const;
    },
  }),
  route({
    method: 'get',
    path: '/role-mapping',
    summary: 'Which groups of the identity provider or directory have which role',
    ...read,
    data: roleMappingView,
    handler: ({ ctx }) => loadRoleMapping(ctx),
  }),
  route({
    method: 'put',
    path: '/role-mapping',
    summary: 'Replace the mapping of groups to roles',
    verified: true,
    ...own,
    body: roleMappingInput,
    data: roleMappingView,
    audit: toAudit('organization.role_mapping.update'),
    handler: async ({ ctx, tenant, body }) =>
      reply(200, await changeRoleMapping(ctx, body), {
        audit: { resourceId: tenant.organizationId, metadata: body },
      }),
  }),
];
