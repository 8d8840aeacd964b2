// The evidence of the audit chain, which outsiders check like that of the chain of decisions.
import { z } from 'zod';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import {
  anchorParam,
  anchorsQuery,
  anchorsView,
  bundleQuery,
  headsFileQuery,
  proofFileQuery,
} from '../hash-chain.schemas.ts';
import { listAnchors } from '../../log/tree/anchors.service.ts';
import { openHeadsFile } from '../../log/tree/heads-file.service.ts';
import { writeProofFile } from '../../log/tree/proofs.service.ts';
import { openBundle } from '../bundles.service.ts';

const gate = { auth: 'user', roles: MANAGERS, plan: 'auditLog' } as const;
const readLog = { ...gate, codes: ['HASH_CHAIN_BROKEN'] } as const;

export const auditChainRoutes = [
  route({
    method: 'get',
    path: '/bundle',
    summary:
      'Evidence bundle of the audit chain: its entries with the recipe to check them offline',
    ...gate,
    kind: 'file',
    mediaType: 'application/json',
    heavy: true,
    query: bundleQuery,
    data: z.unknown(),
    async handler({ ctx, user, query, meta: { ip, userAgent } }) {
      const caller = { user, ip, userAgent };
      const bundle = await openBundle(ctx, { chain: 'audit', ...query }, caller);
      return reply(200, { type: 'application/json; charset=utf-8', ...bundle });
    },
  }),
  route({
    method: 'get',
    path: '/anchors',
    summary: 'Anchors: signed tree heads of the audit chain, newest first',
    ...readLog,
    query: anchorsQuery,
    data: anchorsView,
    handler: ({ ctx, query }) => listAnchors(ctx, query, 'audit'),
  }),
  route({
    method: 'get',
    path: '/heads',
    summary:
      'Heads file: every checkpoint that was ever signed of the audit chain, with the heads log',
    ...readLog,
    kind: 'file',
    mediaType: 'text/plain',
    heavy: true,
    query: headsFileQuery,
    data: z.unknown(),
    async handler({ ctx, query }) {
      const file = await openHeadsFile(ctx, { chain: 'audit', ...query });
      return reply(200, { type: 'text/plain; charset=utf-8', ...file });
    },
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/tlog-proof',
    summary:
      'Proof file (c2sp.org/tlog-proof) of an entry below an anchor, or of the anchor in the heads log',
    ...readLog,
    kind: 'file',
    mediaType: 'text/plain',
    params: anchorParam,
    query: proofFileQuery,
    data: z.unknown(),
    async handler({ ctx, params, query: { sequence, head } }) {
      const part = { sequence, isStamped: head === 'stamped', chain: 'audit' } as const;
      const body = await writeProofFile(ctx, params.anchorId, part);
      const filename = `${params.anchorId}-${sequence ?? 'heads'}.tlog-proof`;
      return reply(200, { type: 'text/plain; charset=utf-8', filename, body });
    },
  }),
];
