// The Agent Control Standard of OWASP (v0.1.0): Assay as the guardian of tool calls.
import { route } from '../../http/declaration/define-route.ts';
import { guardianBody, guardianQuery, guardianView } from './guardian.schemas.ts';

export const guardianRoutes = [
  route({
    method: 'post',
    path: '/acs',
    summary: 'Handshake, tool calls and their results of an agent, in JSON-RPC 2.0',
    auth: 'anyKey',
    writes: 'own',
    waits: true,
    kind: 'bare',
    bodyType: 'raw',
    query: guardianQuery,
    body: guardianBody,
    data: guardianView,
    handler: ({ tenant, key, query, meta }, { guardian }) =>
      guardian.answer({ tenant, key }, meta, query),
  }),
];
