// Routes of agents: registration, changes, key, observed activity.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  agentChange,
  agentInput,
  agentPoliciesChange,
  agentView,
  analyticsView,
  deletedAgentView,
  newAgentView,
  pauseInput,
  resumeInput,
  seenAgentView,
  versionsExtra,
} from './agents.schemas.ts';
import {
  listAgents,
  getAgent,
  createAgent,
  changeAgent,
  updateAgentPolicies,
  pauseAgent,
  resumeAgent,
  removeAgent,
  replaceAgentKey,
  getAgentVersions,
  getAgentAnalytics,
  listSeenAgents,
} from './agents.service.ts';

const read = { auth: 'reader', agentScope: 'filtered' } as const;
const manage = { auth: 'user', roles: MANAGERS, invalidCode: 'SVC_VALIDATION_FAILED' } as const;
/** Fits model metadata of 100,000 characters, each escaped as six bytes. */
const BODY_LIMIT = 600_000;
const toAudit = (action: string) => ({ action, resource: 'agent' });

export const agentRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List agents',
    ...read,
    page: { limit: 50, max: 200 },
    data: agentView,
    handler: ({ ctx, page }) => listAgents(ctx, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Register an agent; its key is shown once',
    verified: true,
    ...manage,
    status: 201,
    bodyLimit: BODY_LIMIT,
    body: agentInput,
    data: newAgentView,
    audit: toAudit('agent.create'),
    handler: async ({ ctx, body }) => reply(201, await createAgent(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/seen',
    summary: 'Agents in the newest decisions that are not registered, the last one seen first',
    ...read,
    data: z.array(seenAgentView),
    handler: ({ ctx }) => listSeenAgents(ctx),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One agent',
    ...read,
    params: byId,
    data: agentView,
    handler: ({ ctx, params }) => getAgent(ctx, params.id),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change name, description or what is stated of the model',
    ...manage,
    params: byId,
    bodyLimit: BODY_LIMIT,
    body: agentChange,
    data: agentView,
    audit: toAudit('agent.update'),
    readLastChange: async ({ ctx, params }) => (await getAgent(ctx, params.id)).updatedAt,
    handler: ({ ctx, params, body }) => changeAgent(ctx, params.id, body),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Remove an agent; its decisions stay',
    ...manage,
    params: byId,
    data: deletedAgentView,
    audit: toAudit('agent.delete'),
    handler: ({ ctx, params }) => removeAgent(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/:id/regenerate-key',
    summary: 'Replace the key; the new one is shown once',
    verified: true,
    ...manage,
    params: byId,
    data: newAgentView,
    audit: toAudit('agent.regenerate_key'),
    handler: ({ ctx, params }) => replaceAgentKey(ctx, params.id),
  }),
  route({
    method: 'patch',
    path: '/:id/policies',
    summary: 'Change the overrides of an agent',
    ...manage,
    params: byId,
    body: agentPoliciesChange,
    data: agentView,
    audit: toAudit('agent.update_policies'),
    readLastChange: async ({ ctx, params }) => (await getAgent(ctx, params.id)).updatedAt,
    handler: ({ ctx, params, body }) => updateAgentPolicies(ctx, params.id, body),
  }),
  route({
    method: 'post',
    path: '/:id/pause',
    summary: 'Pause an agent: all its decisions are blocked until it goes on',
    ...manage,
    params: byId,
    body: pauseInput,
    data: agentView,
    audit: toAudit('agent.pause'),
    async handler({ ctx, params, body: { reason } }) {
      const agent = await pauseAgent(ctx, params.id, reason);
      return reply(200, agent, { audit: { metadata: { reason } } });
    },
  }),
  route({
    method: 'post',
    path: '/:id/resume',
    summary: 'Let a paused agent go on',
    ...manage,
    params: byId,
    body: resumeInput,
    data: agentView,
    audit: toAudit('agent.resume'),
    async handler({ ctx, params, body: { reason } }) {
      const agent = await resumeAgent(ctx, params.id);
      return reply(200, agent, {
        audit: { metadata: { ...(reason !== undefined && { reason }) } },
      });
    },
  }),
  route({
    method: 'get',
    path: '/:id/versions',
    summary: 'Agent versions in order of appearance',
    ...read,
    params: byId,
    data: z.array(z.string()),
    extra: versionsExtra,
    handler: async ({ ctx, params }) => {
      const history = await getAgentVersions(ctx, params.id);
      return reply(
        200,
        history.map(({ version }) => version),
        { extra: { history } },
      );
    },
  }),
  route({
    method: 'get',
    path: '/:id/analytics',
    summary: 'Lifetime counts of verdicts',
    ...read,
    params: byId,
    data: analyticsView,
    handler: ({ ctx, params }) => getAgentAnalytics(ctx, params.id),
  }),
];
