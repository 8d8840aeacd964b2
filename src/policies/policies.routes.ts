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
import { changePolicy } from './canary/canary.service.ts';
import {
  createFromTemplate,
  createPolicy,
  getPolicy,
  getRevision,
  listPolicies,
  listRevisions,
  listTemplates,
  removePolicy,
} from './policies.service.ts';
import { resolvePolicySet } from './policy-sets.service.ts';

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
    handler: ({ ctx, page }) => listPolicies(ctx, page),
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
    handler: async ({ ctx, body }) => reply(201, await createPolicy(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/templates',
    summary: 'Prebuilt policies',
    ...read,
    data: z.array(templateView),
    handler: listTemplates,
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
    handler: async ({ ctx, body }) => reply(201, await createFromTemplate(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/sets/:digest',
    summary: 'The revisions behind a policySetDigest',
    ...read,
    params: digestParams,
    data: policySetView,
    handler: ({ ctx, params }) => resolvePolicySet(ctx, params.digest),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One policy',
    ...read,
    params: byId,
    data: policyView,
    handler: ({ ctx, params }) => getPolicy(ctx, params.id),
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
    readLastChange: async ({ ctx, params }) => (await getPolicy(ctx, params.id)).updatedAt,
    async handler({ ctx, params, body: { reason, ...edit } }) {
      const edited = await changePolicy(ctx, params.id, edit);
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
    handler: ({ ctx, params }) => removePolicy(ctx, params.id),
  }),
  route({
    method: 'get',
    path: '/:id/revisions',
    summary: 'Revisions of a policy',
    ...read,
    params: byId,
    page: { limit: 50, max: 200 },
    data: revisionView,
    handler: ({ ctx, params, page }) => listRevisions(ctx, params.id, page),
  }),
  route({
    method: 'get',
    path: '/:id/revisions/:revision',
    summary: 'One revision of a policy',
    ...read,
    params: revisionParams,
    data: revisionView,
    handler: ({ ctx, params }) => getRevision(ctx, params.id, params.revision),
  }),
];
