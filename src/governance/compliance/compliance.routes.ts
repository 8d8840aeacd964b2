// Compliance mapping: frameworks, attestations of their clauses, and the legacy map (document 3, section 4.3).
import { MANAGERS, READERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  attestedView,
  legacyInput,
  legacyView,
  mappingInput,
  mappingQuery,
  mappingView,
} from './compliance.schemas.ts';
import { attestClause, loadMapping } from './compliance.service.ts';
import { complianceProofsView } from './proofs/proofs.schemas.ts';
import { loadProofs } from './proofs/proofs.service.ts';
import { readLegacyMap, replaceLegacyMap } from './legacy-notes.service.ts';

const plan = 'complianceMapping';
const read = { auth: 'reader', agentScope: 'irrelevant', plan } as const;
const attest = { auth: 'user', roles: MANAGERS, plan } as const;
const LEGACY_BYTES = 1024 * 1024;

export const complianceRoutes = [
  route({
    method: 'get',
    path: '/mapping',
    summary: 'The clauses of a framework, what is attested of them, and the coverage',
    ...read,
    query: mappingQuery,
    data: mappingView,
    handler: ({ ctx, query }) => loadMapping(ctx, query.framework),
  }),
  route({
    method: 'patch',
    path: '/mapping',
    summary: 'Attest a clause; the attestation goes onto the chain',
    ...attest,
    body: mappingInput,
    data: attestedView,
    audit: { action: 'compliance.mapping.updated', resource: 'compliance-note' },
    async handler({ ctx, body }) {
      const attested = await attestClause(ctx, body);
      const { framework, clauseId, status, _id } = attested.note;
      const metadata = { framework, clauseId, status };
      return reply(200, attested, { audit: { resourceId: _id.toHexString(), metadata } });
    },
  }),
  route({
    method: 'get',
    path: '/proofs',
    summary: 'What the service itself shows of each clause, and where; nothing is attested by it',
    auth: 'user',
    roles: READERS,
    plan,
    heavy: true,
    query: mappingQuery,
    data: complianceProofsView,
    handler: async ({ ctx, query }) => reply(200, await loadProofs(ctx, query.framework)),
  }),
  route({
    method: 'get',
    path: '/mapping-notes',
    summary: 'The legacy map: texts by clause, over the evidence of the structured notes',
    ...read,
    data: legacyView,
    handler: ({ ctx }) => readLegacyMap(ctx),
  }),
  route({
    method: 'put',
    path: '/mapping-notes',
    summary: 'Replace the legacy map; to be deprecated, with at least 90 days’ notice',
    ...attest,
    bodyLimit: LEGACY_BYTES,
    body: legacyInput,
    data: legacyView,
    audit: { action: 'compliance.mapping-notes.updated', resource: 'compliance-notes' },
    async handler({ ctx, body }) {
      const map = await replaceLegacyMap(ctx, body);
      return reply(200, map, { audit: { metadata: { clauses: Object.keys(body).length } } });
    },
  }),
];
