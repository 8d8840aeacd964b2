// AuthZEN (OpenID Authorization API 1.0): whether a subject may perform an action on a resource.
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  evaluationInput,
  evaluationsInput,
  evaluationsView,
  evaluationView,
  decisionPointView,
} from './authzen.schemas.ts';
import { describePoint, evaluateAccess, evaluateAll } from './authzen.service.ts';

const KIB = 1024;
const ask = {
  method: 'post',
  auth: 'anyKey',
  writes: 'own',
  kind: 'access',
  codes: ['SVC_VALIDATION_FAILED', 'USAGE_LIMIT_EXCEEDED', 'CONFLICT', 'DECISION_ERASED'],
} as const;

export const authzenRoutes = [
  route({
    ...ask,
    path: '/evaluation',
    summary:
      'Ask whether an action is permitted; the question is recorded and sealed as a decision',
    bodyLimit: 150 * KIB,
    body: evaluationInput,
    data: evaluationView,
    handler: ({ ctx, body, meta }) => evaluateAccess(ctx, body, meta),
  }),
  route({
    ...ask,
    path: '/evaluations',
    summary: 'Ask about up to 100 actions, with default values, and stop where the caller says so',
    bodyLimit: 512 * KIB,
    body: evaluationsInput,
    data: evaluationsView,
    countDecisions: ({ evaluations = [] }) => Math.max(1, evaluations.length),
    handler: ({ ctx, body, meta }) => evaluateAll(ctx, body, meta),
  }),
];

const DAY = 'public, max-age=86400';

export const authzenDescriptionRoutes = [
  route({
    method: 'get',
    path: '/.well-known/authzen-configuration',
    summary: 'Where this policy decision point answers',
    openQuery: true,
    auth: 'public',
    kind: 'bare',
    data: decisionPointView,
    handler: async ({ ctx }) =>
      reply(200, describePoint(ctx.platform), { headers: { 'Cache-Control': DAY } }),
  }),
];
