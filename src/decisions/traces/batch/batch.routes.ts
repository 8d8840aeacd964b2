// Batches of decisions.
import { reply, route } from '../../../http/declaration/define-route.ts';
import { batchBody, batchView } from './batch.schemas.ts';

const MIB = 1024 * 1024;

export const batchRoutes = [
  route({
    method: 'post',
    path: '/batch',
    summary: 'Ingest up to 100 decisions, each answered as it would be alone',
    auth: 'anyKey',
    writes: 'own',
    invalidCode: 'SVC_VALIDATION_FAILED',
    bodyLimit: 2 * MIB,
    documents: 'decisions',
    body: batchBody,
    data: batchView,
    parseLarge: ({ tenant, key, meta }, { traces }) =>
      traces.batches.inspectLarge({ tenant, key }, meta),
    countDecisions: ({ decisions }) => decisions.length,
    async handler({ tenant, key, body, meta }, { traces }) {
      const caller = { tenant, key };
      const answered = await traces.batches.ingestBatch(caller, body.decisions, meta);
      const { results, deprecation } = answered;
      return reply(200, { results }, { headers: deprecation });
    },
  }),
];
