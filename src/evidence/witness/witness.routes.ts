// Witnesses compare the chain with what they have seen of it (document 1, section 7), and logs of others are witnessed.
import { z } from 'zod';
import { reply, route } from '../../http/declaration/define-route.ts';
import { cosignInput, gossipInput, gossipView, originParam } from './witness.schemas.ts';
import { compareHeads } from './witness.service.ts';
import { addCheckpoint, readWitnessed } from './cosigning/cosigning.service.ts';

export const witnessRoutes = [
  route({
    method: 'post',
    path: '/gossip',
    summary:
      'Tell a chain head that was seen, signed with a shared key; the answer is ours, signed',
    auth: 'public',
    writes: 'none',
    bodyLimit: 8 * 1024,
    body: gossipInput,
    data: gossipView,
    codes: ['CONFIG_ERROR', 'INVALID_TIMESTAMP', 'WITNESS_AUTH_FAILED'],
    handler: ({ ctx, body }) => compareHeads(ctx.platform, body),
  }),
  route({
    method: 'post',
    path: '/add-checkpoint',
    summary: 'Ask this witness to sign a checkpoint of a log that it knows (c2sp.org/tlog-witness)',
    auth: 'public',
    // What was signed is stored before the answer, in one write.
    writes: 'own',
    kind: 'file',
    mediaType: 'text/plain',
    status: [200, 409, 422],
    bodyType: 'raw',
    bodyLimit: 16 * 1024,
    body: cosignInput,
    data: z.unknown(),
    codes: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
    async handler({ ctx, meta }) {
      const { status, type, body } = await addCheckpoint(ctx.platform, meta.rawBody);
      return reply(status, { type, filename: null, body });
    },
  }),
  route({
    method: 'get',
    path: '/:originHash/checkpoint',
    summary:
      'The checkpoint that this witness signed last, by the SHA-256 of the origin of its log',
    auth: 'public',
    kind: 'file',
    mediaType: 'text/plain',
    params: originParam,
    data: z.unknown(),
    async handler({ ctx, params }) {
      const body = await readWitnessed(ctx.platform, params.originHash);
      const headers = { 'Cache-Control': 'public, max-age=5' };
      return reply(200, { type: 'text/plain; charset=utf-8', filename: null, body }, { headers });
    },
  }),
];
