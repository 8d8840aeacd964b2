// Sessions of agents: the decisions that one took under one name, and all that became of them.
import { reply, route } from '../../../../http/declaration/define-route.ts';
import { byTrace } from '../../../../http/declaration/views.ts';
import {
  sessionDetail,
  sessionListExtra,
  sessionQuery,
  agentSessionView,
  stepsQuery,
  stepsView,
} from './agent-sessions.schemas.ts';
import { loadSession } from './agent-sessions.service.ts';
import { listAgentSessions } from './session-list.service.ts';
import { loadSessionSteps } from './session-steps.service.ts';

const read = { auth: 'reader', agentScope: 'filtered' } as const;

export const agentSessionRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List sessions of agents, the one with the newest decision first',
    ...read,
    heavy: true,
    query: sessionQuery,
    page: { limit: 25, max: 100 },
    data: agentSessionView,
    extra: sessionListExtra,
    async handler({ ctx, query, page }) {
      const { since, ...listed } = await listAgentSessions(ctx, query, page);
      return reply(200, listed, { extra: { since } });
    },
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'The session of a decision: what it did, and what that decision was judged on',
    ...read,
    params: byTrace,
    data: sessionDetail,
    handler: ({ ctx, params }) => loadSession(ctx, params.id),
  }),
  route({
    method: 'get',
    path: '/:id/steps',
    summary: 'What happened in the session of a decision, in the order of the chain',
    ...read,
    heavy: true,
    params: byTrace,
    query: stepsQuery,
    data: stepsView,
    handler: ({ ctx, params, query }) => loadSessionSteps(ctx, params.id, query),
  }),
];
