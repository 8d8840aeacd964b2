// Routes of the organisation: its settings, its deletion.
import { MANAGERS } from '../../domain/identity/roles.ts';
import { ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  deletedOrganizationView,
  deletionInput,
  organizationView,
  settingsChange,
} from './organization.schemas.ts';
import {
  keepOrganization,
  loadOrganizationSettings,
  updateOrganization,
} from './organization.service.ts';
import { deleteOrganization } from './deletion/organization-deletion.service.ts';

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
    handler: ({ ctx, tenant }) => loadOrganizationSettings(ctx.platform, tenant),
  }),
  route({
    method: 'patch',
    path: '/',
    summary: 'Change settings of the organisation',
    ...manage,
    body: settingsChange,
    data: organizationView,
    audit: toAudit('organization.update'),
    readLastChange: async ({ ctx }) =>
      (await loadOrganizationSettings(ctx.platform, ctx.tenant)).updatedAt,
    async handler({ ctx, body }) {
      const settings = await updateOrganization(ctx, body);
      const { requirePolicyApproval } = settings;
      const isAskedFor = body.requirePolicyApproval === false && requirePolicyApproval;
      const metadata = isAskedFor ? { ...body, requirePolicyApproval, waits: true } : body;
      return reply(200, settings, { audit: { metadata } });
    },
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
    handler: ({ ctx }) => keepOrganization(ctx),
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
    handler: ({ ctx, body }) => deleteOrganization(ctx, body),
  }),
];
