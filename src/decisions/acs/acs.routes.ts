// The Agent Control Standard of OWASP (v0.1.0): Assay as the guardian of tool calls.
import { answerAcs } from './acs.service.ts';
import { route } from '../../http/declaration/define-route.ts';
import { acsBody, acsQuery, acsView } from './acs.schemas.ts';

export const acsRoutes = [
  route({
    method: 'post',
    path: '/acs',
    summary: 'Handshake, tool calls and their results of an agent, in JSON-RPC 2.0',
    auth: 'anyKey',
    writes: 'own',
    waits: 'approval',
    kind: 'bare',
    bodyType: 'raw',
    query: acsQuery,
    body: acsBody,
    data: acsView,
    handler: ({ ctx, query, meta }) => answerAcs(ctx, meta, query),
  }),
];
