// The hash chain: status, verification, entries, anchors, evidence bundles. Nothing here changes the chain.
import { z } from 'zod';
import { ENVELOPE_TYPE } from '../../domain/provenance/dsse.ts';
import type { Code } from '../../errors.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  anchorParam,
  anchorsQuery,
  anchorsView,
  bundleQuery,
  chainStatusView,
  entriesQuery,
  entriesView,
  entryOfTraceView,
  entryView,
  headsFileQuery,
  promiseCheckBody,
  promiseCheckView,
  proofFileQuery,
  proofQuery,
  proofView,
  traceParam,
  verificationQuery,
  verificationView,
} from './hash-chain.schemas.ts';
import { listAnchors } from '../log/tree/anchors.service.ts';
import { openHeadsFile } from '../log/tree/heads-file.service.ts';
import {
  showProof,
  writeProofFile,
  writeCoseReceipt,
  readStamp,
} from '../log/tree/proofs.service.ts';
import { signStatement } from '../log/tree/entry-statements.service.ts';
import { checkPromise } from '../log/promises/promise-check.service.ts';
import {
  describeStatus,
  loadDecisionEntries,
  listEntries,
  loadEntry,
} from './hash-chain.service.ts';
import { verifyLedger } from './chain-verification.service.ts';
import { openBundle } from './bundles.service.ts';

const read = { auth: 'reader', plan: 'hashChainAudit', allWorkspaces: true } as const;
/** Reads the log of the chain, which may not be what was sealed. */
const readLog = { ...read, codes: ['HASH_CHAIN_BROKEN'] } as const;

export const hashChainRoutes = [
  route({
    method: 'get',
    path: '/status',
    summary: 'Head, last verification and append latency',
    ...readLog,
    failedCode: 'HASH_CHAIN_STATUS_FAILED',
    data: chainStatusView,
    handler: ({ ctx }) => describeStatus(ctx),
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
    handler: ({ ctx, query }) => verifyLedger(ctx, query),
  }),
  route({
    method: 'get',
    path: '/entry/:traceId',
    summary: 'The entry that ingested a decision, and the later ones about it',
    ...readLog,
    failedCode: 'HASH_CHAIN_ENTRY_FAILED',
    params: traceParam,
    data: entryOfTraceView,
    handler: ({ ctx, params }) => loadDecisionEntries(ctx, params.traceId),
  }),
  route({
    method: 'get',
    path: '/entries',
    summary: 'Entries, newest first',
    ...readLog,
    failedCode: 'HASH_CHAIN_ENTRIES_FAILED',
    query: entriesQuery,
    data: entriesView,
    handler: ({ ctx, query }) => listEntries(ctx, query),
  }),
  route({
    method: 'get',
    path: '/entries/:id',
    summary: 'One entry',
    ...readLog,
    failedCode: 'HASH_CHAIN_ENTRY_FAILED',
    params: byId,
    data: entryView,
    handler: ({ ctx, params }) => loadEntry(ctx, params.id),
  }),
  route({
    method: 'get',
    path: '/anchors',
    summary: 'Anchors: signed tree heads of the chain, newest first',
    ...readLog,
    failedCode: 'HASH_CHAIN_ANCHORS_FAILED',
    query: anchorsQuery,
    data: anchorsView,
    handler: ({ ctx, query }) => listAnchors(ctx, query),
  }),
  route({
    method: 'get',
    path: '/heads',
    summary: 'Heads file: every checkpoint that was ever signed of the chain, with the heads log',
    ...readLog,
    kind: 'file',
    mediaType: 'text/plain',
    heavy: true,
    failedCode: 'HASH_CHAIN_ANCHORS_FAILED',
    query: headsFileQuery,
    data: z.unknown(),
    async handler({ ctx, query }) {
      const file = await openHeadsFile(ctx, { chain: 'ledger', ...query });
      return reply(200, { type: 'text/plain; charset=utf-8', ...file });
    },
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/proof',
    summary: 'Inclusion proof of an anchored entry',
    ...readLog,
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    params: anchorParam,
    query: proofQuery,
    data: proofView,
    handler: ({ ctx, params, query }) => showProof(ctx, params.anchorId, query.sequence),
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/tlog-proof',
    summary:
      'The same as a proof file (c2sp.org/tlog-proof), or that of the anchor in the heads log',
    ...readLog,
    kind: 'file',
    mediaType: 'text/plain',
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    params: anchorParam,
    query: proofFileQuery,
    data: z.unknown(),
    async handler({ ctx, params, query: { sequence, head } }) {
      const isStamped = head === 'stamped';
      const part = { sequence, isStamped };
      const body = await writeProofFile(ctx, params.anchorId, part);
      const filename = `${params.anchorId}-${sequence ?? 'heads'}.tlog-proof`;
      return reply(200, { type: 'text/plain; charset=utf-8', filename, body });
    },
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/receipt',
    summary: 'The same as a COSE receipt (RFC 9942)',
    ...readLog,
    kind: 'file',
    mediaType: 'application/cose',
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    params: anchorParam,
    query: proofQuery,
    data: z.unknown(),
    async handler({ ctx, params, query: { sequence } }) {
      const body = await writeCoseReceipt(ctx, params.anchorId, sequence);
      const filename = `${params.anchorId}-${sequence}.cose`;
      return reply(200, { type: 'application/cose', filename, body });
    },
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/statement',
    summary: 'The same with the entry, as an in-toto Statement in a DSSE envelope',
    ...readLog,
    kind: 'file',
    mediaType: ENVELOPE_TYPE,
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    codes: ['CONFIG_ERROR', 'HASH_CHAIN_BROKEN'],
    params: anchorParam,
    query: proofQuery,
    data: z.unknown(),
    async handler({ ctx, params, query: { sequence } }) {
      const { anchorId } = params;
      const body = await signStatement(ctx, anchorId, sequence);
      return reply(200, { type: ENVELOPE_TYPE, filename: `${anchorId}-${sequence}.json`, body });
    },
  }),
  route({
    method: 'get',
    path: '/anchors/:anchorId/stamp',
    summary: 'The time stamp (RFC 3161) of the first stamped head that covers an anchor',
    ...readLog,
    kind: 'file',
    mediaType: 'application/timestamp-reply',
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    params: anchorParam,
    data: z.unknown(),
    async handler({ ctx, params }) {
      const body = await readStamp(ctx, params.anchorId);
      const filename = `${params.anchorId}.tsr`;
      return reply(200, { type: 'application/timestamp-reply', filename, body });
    },
  }),
  route({
    method: 'post',
    path: '/promise/check',
    summary: 'Whether the promise of an answer was kept, with the proof',
    auth: 'reader',
    plan: 'hashChainAudit',
    // No workspace filter: a caller with a promise got it in an answer.
    agentScope: 'irrelevant',
    writes: 'none',
    failedCode: 'HASH_CHAIN_PROOF_FAILED',
    codes: ['HASH_CHAIN_BROKEN'],
    body: promiseCheckBody,
    data: promiseCheckView,
    handler: ({ ctx, body }) => checkPromise(ctx, body),
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
      async handler({ ctx, user = null, query, meta }) {
        const { ip, userAgent } = meta;
        const caller = { user, ip, userAgent };
        const bundle = await openBundle(ctx, { chain: 'ledger', ...query }, caller);
        return reply(200, { type: 'application/json; charset=utf-8', ...bundle });
      },
    }),
  ),
];
