// Batches of decisions.
import { inspectLargeBatch, ingestBatch } from './batch.service.ts';
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
    parseLarge: ({ ctx, meta }) => inspectLargeBatch(ctx, meta),
    countDecisions: ({ decisions }) => decisions.length,
    async handler({ ctx, body, meta }) {
      const answered = await ingestBatch(ctx, body.decisions, meta);
      const { results, deprecation } = answered;
      return reply(200, { results }, { headers: deprecation });
    },
  }),
];
