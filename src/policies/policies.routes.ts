// Policies: what an organisation allows its agents; revisions, sets and templates.
import { z } from 'zod';
import { MANAGERS } from '../domain/identity/roles.ts';
import { reply, route } from '../http/declaration/define-route.ts';
import { byId } from '../http/declaration/views.ts';
import { policyEdit } from './canary/canary.schemas.ts';
import {
  deletedPolicyView,
  digestParams,
  policyInput,
  policySetView,
  policyView,
  revisionParams,
  revisionView,
  templateInput,
  templateView,
} from './policies.schemas.ts';

const read = { auth: 'reader', agentScope: 'irrelevant' } as const;
const manage = { auth: 'user', roles: MANAGERS } as const;
/** The answer when a well-formed policy exceeds the limits of its workspace. */
const codes = ['INVALID_OPERATION'] as const;
const toAudit = (action: string) => ({ action, resource: 'policy' });

export const policyRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List policies',
    ...read,
    page: { limit: 50, max: 200 },
    data: policyView,
    handler: ({ tenant, page }, { policies }) => policies.definitions.listPolicies(tenant, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Create a policy',
    ...manage,
    status: 201,
    body: policyInput,
    data: policyView,
    codes,
    audit: toAudit('policy.create'),
    handler: async ({ tenant, body }, { policies }) =>
      reply(201, await policies.definitions.create(tenant, body)),
  }),
  route({
    method: 'get',
    path: '/templates',
    summary: 'Prebuilt policies',
    ...read,
    data: z.array(templateView),
    handler: (_input, { policies }) => policies.definitions.listTemplates(),
  }),
  route({
    method: 'post',
    path: '/from-template',
    summary: 'Create a policy from a template',
    ...manage,
    status: 201,
    body: templateInput,
    data: policyView,
    codes,
    audit: toAudit('policy.create'),
    handler: async ({ tenant, body }, { policies }) =>
      reply(201, await policies.definitions.createFromTemplate(tenant, body)),
  }),
  route({
    method: 'get',
    path: '/sets/:digest',
    summary: 'The revisions behind a policySetDigest',
    ...read,
    params: digestParams,
    data: policySetView,
    handler: ({ tenant, params }, { policies }) => policies.sets.resolve(tenant, params.digest),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One policy',
    ...read,
    params: byId,
    data: policyView,
    handler: ({ tenant, params }, { policies }) =>
      policies.definitions.getPolicy(tenant, params.id),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change a policy, at once or as a canary, or end its canary',
    ...manage,
    params: byId,
    body: policyEdit,
    data: policyView,
    codes,
    audit: toAudit('policy.update'),
    async handler({ tenant, user, params, body: { reason, ...edit } }, { policies }) {
      const edited = await policies.canaries.changePolicy({ tenant, user }, params.id, edit);
      const { canary } = edit;
      const metadata = { ...(canary && { canary }), ...(reason !== undefined && { reason }) };
      return reply(200, edited, { audit: { metadata } });
    },
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Remove a policy; its revisions stay',
    ...manage,
    params: byId,
    data: deletedPolicyView,
    codes,
    audit: toAudit('policy.delete'),
    handler: ({ tenant, params }, { policies }) => policies.definitions.remove(tenant, params.id),
  }),
  route({
    method: 'get',
    path: '/:id/revisions',
    summary: 'Revisions of a policy',
    ...read,
    params: byId,
    page: { limit: 50, max: 200 },
    data: revisionView,
    handler: ({ tenant, params, page }, { policies }) =>
      policies.definitions.listRevisions(tenant, params.id, page),
  }),
  route({
    method: 'get',
    path: '/:id/revisions/:revision',
    summary: 'One revision of a policy',
    ...read,
    params: revisionParams,
    data: revisionView,
    handler: ({ tenant, params }, { policies }) =>
      policies.definitions.getRevision(tenant, params.id, params.revision),
  }),
];
