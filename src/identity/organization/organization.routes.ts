// Routes of the organisation: its settings, its SCIM token, its deletion.
import { MANAGERS } from '../../domain/identity/roles.ts';
import { ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  deletedOrganizationView,
  deletionInput,
  newScimTokenView,
  organizationView,
  settingsChange,
} from './organization.schemas.ts';

const manage = { auth: 'user', roles: MANAGERS } as const;
const toAudit = (action: string) => ({ action, resource: 'organization' });

export const organizationRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The organisation and its settings',
    auth: 'reader',
    agentScope: 'irrelevant',
    data: organizationView,
    handler: ({ tenant }, { organization }) => organization.profile.loadSettings(tenant),
  }),
  route({
    method: 'patch',
    path: '/',
    summary: 'Change settings of the organisation',
    ...manage,
    body: settingsChange,
    data: organizationView,
    audit: toAudit('organization.update'),
    async handler({ tenant, user, body }, { organization }) {
      const settings = await organization.profile.update({ tenant, user }, body);
      const { requirePolicyApproval } = settings;
      const isAskedFor = body.requirePolicyApproval === false && requirePolicyApproval;
      const metadata = isAskedFor ? { ...body, requirePolicyApproval, waits: true } : body;
      return reply(200, settings, { audit: { metadata } });
    },
  }),
  route({
    method: 'post',
    path: '/scim-token',
    summary: 'Mint the SCIM token; shown once, the former one is void at once',
    verified: true,
    auth: 'user',
    // The holder of the token can make owners.
    roles: ['owner'],
    plan: 'scim',
    status: 201,
    data: newScimTokenView,
    audit: { action: 'scim.token.minted', resource: 'scimToken' },
    handler: async ({ tenant }, { organization }) =>
      reply(201, await organization.scimTokens.mintToken(tenant)),
  }),
  route({
    method: 'post',
    path: '/keep',
    summary: 'Keep the organisation that was begun before its owner’s mailbox was proved',
    auth: 'user',
    roles: ['owner'],
    data: organizationView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('organization.kept'),
    async handler({ tenant }, { organization }) {
      await organization.reclaims.keepOrganization(tenant.organizationId);
      return organization.profile.loadSettings(tenant);
    },
  }),
  route({
    method: 'delete',
    path: '/',
    summary: 'Delete the organisation',
    auth: 'user',
    roles: ['owner'],
    body: deletionInput,
    data: deletedOrganizationView,
    audit: toAudit(ORGANIZATION_DELETED),
    handler: ({ tenant, user, body }, { organization }) =>
      organization.deletion.delete(tenant, user, body),
  }),
];
