// The hash chain: status, verification, entries, anchors, evidence bundles. Nothing here changes the chain.
import { z } from 'zod';
import { AppError, type Code } from '../../errors.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  anchorsView,
  bundleQuery,
  chainStatusView,
  entriesQuery,
  entriesView,
  entryOfTraceView,
  entryView,
  proofQuery,
  traceParam,
  verificationQuery,
  verificationView,
} from './hash-chain.schemas.ts';

const read = { auth: 'reader', plan: 'hashChainAudit', allWorkspaces: true } as const;

export const hashChainRoutes = [
  route({
    method: 'get',
    path: '/status',
    summary: 'Head, last verification and append latency',
    ...read,
    failedCode: 'HASH_CHAIN_STATUS_FAILED',
    data: chainStatusView,
    handler: ({ tenant }, { hashChain }) => hashChain.chain.describeStatus(tenant),
  }),
  route({
    method: 'post',
    path: '/verify',
    summary: 'Replay the whole chain, its values and its decisions',
    auth: 'user',
    plan: 'hashChainAudit',
    writes: 'none',
    heavy: true,
    failedCode: 'HASH_CHAIN_VERIFY_FAILED',
    query: verificationQuery,
    data: verificationView,
    handler: ({ tenant, query }, { hashChain }) => hashChain.verification.verify(tenant, query),
  }),
  route({
    method: 'get',
    path: '/entry/:traceId',
    summary: 'The entry that ingested a decision, and the later ones about it',
    ...read,
    failedCode: 'HASH_CHAIN_ENTRY_FAILED',
    params: traceParam,
    data: entryOfTraceView,
    handler: ({ tenant, params }, { hashChain }) =>
      hashChain.chain.loadDecisionEntries(tenant, params.traceId),
  }),
  route({
    method: 'get',
    path: '/entries',
    summary: 'Entries, newest first',
    ...read,
    failedCode: 'HASH_CHAIN_ENTRIES_FAILED',
    query: entriesQuery,
    data: entriesView,
    handler: ({ tenant, query }, { hashChain }) => hashChain.chain.listEntries(tenant, query),
  }),
  route({
    method: 'get',
    path: '/entries/:id',
    summary: 'One entry',
    ...read,
    failedCode: 'HASH_CHAIN_ENTRY_FAILED',
    params: byId,
    data: entryView,
    handler: ({ tenant, params }, { hashChain }) => hashChain.chain.loadEntry(tenant, params.id),
  }),
  route({
    method: 'get',
    path: '/anchors',
    summary: 'Merkle anchors; none yet',
    ...read,
    failedCode: 'HASH_CHAIN_ANCHORS_FAILED',
    data: anchorsView,
    handler: () => Promise.resolve([]),
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/proof',
    summary: 'Inclusion proof of an anchored entry; no chain is anchored yet',
    ...read,
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    params: z.object({ anchorId: z.string() }),
    query: proofQuery,
    data: z.null(),
    handler: () => Promise.reject(new AppError('NOT_FOUND', 'This chain is not anchored')),
  }),
  ...(['/export', '/bundle'] as const).map((path) =>
    route({
      method: 'get',
      path,
      summary: 'Evidence bundle: the entries of a range with the recipe to check them offline',
      ...read,
      kind: 'file',
      mediaType: 'application/json',
      heavy: true,
      failedCode: 'HASH_CHAIN_EXPORT_FAILED' satisfies Code,
      query: bundleQuery,
      data: z.unknown(),
      async handler({ tenant, user = null, query, meta }, { hashChain }) {
        const bundle = await hashChain.bundles.openBundle(tenant, query, {
          user,
          ip: meta.ip,
          userAgent: meta.userAgent,
        });
        return reply(200, { type: 'application/json; charset=utf-8', ...bundle });
      },
    }),
  ),
];
