// Provenance graphs in W3C PROV-O: JSON-LD, Turtle or N-Triples, as `Accept` says (document 3, section 4.6).
import { z } from 'zod';
import { withDefault } from '../../../http/declaration/optional.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { buildTraceGraph, buildRecentGraph } from './graphs.service.ts';

const read = {
  method: 'get',
  auth: 'reader',
  agentScope: 'filtered',
  plan: 'provOExport',
  heavy: true,
  kind: 'file',
  mediaType: 'application/ld+json',
  data: z.unknown(),
} as const;

const DEFAULT_BATCH = 25;
const MOST_IN_BATCH = 100;

/** Caches must store each media type separately. */
const headers = { Vary: 'Accept' };

const toGraphReply = ({ type, body }: { type: string; body: string }) =>
  reply(200, { type: `${type}; charset=utf-8`, filename: null, body }, { headers });

export const graphRoutes = [
  route({
    ...read,
    path: '/trace/:traceId',
    summary:
      'Provenance graph of a decision; `Accept` may ask for text/turtle or application/n-triples',
    params: z.object({ traceId: z.string().min(1).max(200) }),
    handler: async ({ ctx, params, meta }) =>
      toGraphReply(
        await buildTraceGraph(ctx, params.traceId, meta.headers.accept as string | undefined),
      ),
  }),
  route({
    ...read,
    path: '/recent',
    summary: 'Provenance graph of the newest decisions, in the same forms',
    query: z.object({
      limit: withDefault(z.coerce.number().int().min(1), DEFAULT_BATCH)
        .transform((wanted) => Math.min(wanted, MOST_IN_BATCH))
        .describe(
          `Decisions, at most ${MOST_IN_BATCH}; those beyond 2 MiB of payload have no digests`,
        ),
    }),
    handler: async ({ ctx, query, meta }) =>
      toGraphReply(
        await buildRecentGraph(ctx, query.limit, meta.headers.accept as string | undefined),
      ),
  }),
];
