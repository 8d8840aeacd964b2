// Decisions: ingest, list, export, read, change in bulk.
import { z } from 'zod';
import { withdrawTrace } from './review/review-withdrawal.service.ts';
import { requirePendingReviewer } from './review/self-review/pending-reviews.service.ts';
import { searchMemory } from './memory/memory-search.service.ts';
import { openTraceStream } from './stream/trace-streams.service.ts';
import { openExport } from './export/trace-export.service.ts';
import { traceExportQuery, traceQuery } from './search/list-query.schemas.ts';
import { listTraces, loadTrace, loadNamedTrace } from './traces.service.ts';
import { setStatuses, removeDecisions } from './bulk/bulk.service.ts';
import { purgeDecisions } from './bulk/purge.service.ts';
import { optional } from '../../http/declaration/optional.ts';
import { MANAGERS, WRITERS } from '../../domain/identity/roles.ts';
import { AppError } from '../../errors.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byTrace } from '../../http/declaration/views.ts';
import { withdrawalInput } from './review/review.schemas.ts';
import { memoryBody, memoryView } from './memory/memory.schemas.ts';
import { inspectLargeDecision, recordDecision } from './ingestion/ingestion.service.ts';
import { replayDecision, type IngestResult } from './ingestion/repeated-requests.service.ts';
import {
  bulkDeleteBody,
  bulkStatusBody,
  bulkView,
  eventId,
  ingestBody,
  ingestView,
  purgeBody,
  purgeView,
  streamQuery,
  traceListExtra,
  traceView,
  traceWaitQuery,
  withdrawalView,
} from './traces.schemas.ts';

const read = { auth: 'reader', agentScope: 'filtered' } as const;
/** Four texts of 50,000 characters, each escaped as 12 bytes (a surrogate pair), and all other bounded members. */
const BODY_LIMIT = 3_000_000;
/** A thread judges larger ones: the most hostile of 100 KiB held up all others for 25 ms. */
const LARGE_DECISION = 32 * 1024;

/** The decision is sealed whatever the verdict; a blocked one is answered in the failure envelope. */
function toVerdictReply({ answer, isReplay, deprecation }: IngestResult) {
  const headers = { ...deprecation, ...(isReplay && { 'Idempotency-Replayed': 'true' }) };
  const { status, matchedPolicy } = answer;
  if (status === 'approved') return reply(201, answer, { headers });
  if (status === 'flagged') return reply(202, answer, { headers });
  const failure = { code: 'SVC_BLOCKED_BY_POLICY', message: matchedPolicy?.reason } as const;
  return reply(403, answer, { headers, failure });
}

const toStatusHeader = (review: { status: string } | null): Record<string, string> => ({
  'X-Review-Status': review?.status ?? 'none',
});

/** @throws AppError `VALIDATION_ERROR` */
function parseLastEventId(header: string | string[] | undefined): number | undefined {
  const parsed = optional(eventId).safeParse(header === '' ? undefined : header);
  if (!parsed.success) throw new AppError('VALIDATION_ERROR', 'Last-Event-ID must be a sequence');
  return parsed.data;
}

export const traceRoutes = [
  route({
    method: 'post',
    path: '/',
    summary: 'Ingest one decision: scored, judged, sealed',
    auth: 'anyKey',
    status: [201, 202, 403],
    writes: 'own',
    invalidCode: 'SVC_VALIDATION_FAILED',
    codes: [
      'SVC_BLOCKED_BY_POLICY',
      'HALTED',
      'SVC_UNKNOWN_SCHEMA_VERSION',
      'VERSION_SUNSET',
      'USAGE_LIMIT_EXCEEDED',
      'CONFLICT',
      'DECISION_ERASED',
    ],
    bodyLimit: BODY_LIMIT,
    batched: true,
    body: ingestBody,
    data: ingestView,
    largeBody: LARGE_DECISION,
    parseLarge: ({ ctx, meta }) => inspectLargeDecision(ctx, meta),
    handler: async ({ ctx, body, meta }) => toVerdictReply(await recordDecision(ctx, body, meta)),
    async replay({ ctx, meta }) {
      const answered = await replayDecision(ctx, meta);
      return answered && toVerdictReply(answered);
    },
  }),
  route({
    method: 'get',
    path: '/',
    summary: 'List decisions',
    ...read,
    query: traceQuery,
    heavy: true,
    page: { limit: 25, max: 200 },
    data: traceView,
    extra: traceListExtra,
    async handler({ ctx, query, page }) {
      const { search, ...listed } = await listTraces(ctx, query, page);
      return reply(200, listed, search && { extra: { search } });
    },
  }),
  route({
    method: 'get',
    path: '/export',
    summary: 'All decisions that the filters find, as CSV; formulas are made inert',
    ...read,
    plan: 'export',
    kind: 'file',
    mediaType: 'text/csv',
    heavy: true,
    writes: 'own',
    query: traceExportQuery,
    data: z.unknown(),
    audit: { action: 'trace.export', resource: 'trace' },
    async handler({ ctx, query }) {
      const { page: _page, limit: _limit, ...filters } = query;
      const file = await openExport(ctx, filters);
      const audit = { metadata: { filters } };
      return reply(200, { type: 'text/csv; charset=utf-8; header=present', ...file }, { audit });
    },
  }),
  route({
    method: 'get',
    path: '/stream',
    summary: 'Event stream of new decisions, of what becomes of their reviews, and of halts',
    auth: 'keyOrUser',
    agentScope: 'filtered',
    agentKeys: true,
    kind: 'stream',
    status: [200, 204],
    codes: ['INVALID_STREAM_TOKEN'],
    query: streamQuery,
    data: z.unknown(),
    async handler({ ctx, query, meta }) {
      const lastEventId =
        parseLastEventId(meta.headers['last-event-id']) ?? query.lastEventId ?? null;
      const stream = await openTraceStream(ctx, { kind: query.events, lastEventId });
      return reply(200, stream);
    },
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One decision, by its `traceId` or `_id`; the request may wait for a verdict',
    ...read,
    agentKeys: true,
    params: byTrace,
    query: traceWaitQuery,
    data: traceView,
    waits: 'wait',
    handler: async ({ ctx, params, query }) => {
      const trace = await loadTrace(ctx, params.id, query.wait);
      return reply(200, trace, { headers: toStatusHeader(trace.review) });
    },
  }),
  route({
    method: 'post',
    path: '/:id/withdraw',
    summary: 'Withdraw a held decision that its caller no longer waits for; its review ends',
    auth: 'keyOrUser',
    roles: WRITERS,
    agentScope: 'filtered',
    agentKeys: true,
    followsDecision: true,
    writes: 'own',
    codes: ['INVALID_OPERATION', 'REVIEW_ENDED'],
    params: byTrace,
    body: withdrawalInput,
    data: withdrawalView,
    audit: { action: 'review.withdraw', resource: 'review' },
    async handler({ ctx, params, body }) {
      const traceId = await withdrawTrace(ctx, params.id, body);
      const { status, review } = await loadNamedTrace(ctx, traceId);
      const answer = { traceId, status, review };
      return reply(200, answer, { headers: toStatusHeader(review), audit: { metadata: answer } });
    },
  }),
  route({
    method: 'post',
    path: '/memory',
    summary: 'The decisions whose question or answer means what the query means',
    auth: 'user',
    plan: 'memorySearch',
    writes: 'none',
    heavy: true,
    body: memoryBody,
    data: memoryView,
    handler: ({ ctx, body }) => searchMemory(ctx, body),
  }),
  route({
    method: 'post',
    path: '/bulk-status',
    summary: 'Set the status of many decisions; each change is an entry',
    auth: 'user',
    roles: WRITERS,
    writes: 'own',
    memberCodes: { ids: 'INVALID_IDS', status: 'INVALID_STATUS' },
    body: bulkStatusBody,
    data: bulkView,
    audit: { action: 'trace.bulk_status_update', resource: 'trace' },
    async handler({ ctx, body }) {
      await requirePendingReviewer(ctx, body.ids);
      const result = await setStatuses(ctx, body.ids, body.status);
      return reply(200, result, { audit: { metadata: { ...result, ...body } } });
    },
  }),
  route({
    method: 'post',
    path: '/purge',
    summary: 'Empty and hide every decision that was recorded before a day; their entries stay',
    auth: 'user',
    roles: ['owner'],
    writes: 'own',
    heavy: true,
    body: purgeBody,
    data: purgeView,
    audit: { action: 'trace.purge', resource: 'trace' },
    async handler({ ctx, body }) {
      const result = await purgeDecisions(ctx, body.before);
      return reply(200, result, { audit: { metadata: { ...result } } });
    },
  }),
  route({
    method: 'post',
    path: '/bulk-delete',
    summary: 'Empty and hide many decisions; their entries stay',
    auth: 'user',
    roles: MANAGERS,
    writes: 'own',
    memberCodes: { ids: 'INVALID_IDS' },
    body: bulkDeleteBody,
    data: bulkView,
    audit: { action: 'trace.bulk_delete', resource: 'trace' },
    async handler({ ctx, body }) {
      const result = await removeDecisions(ctx, body.ids);
      return reply(200, result, { audit: { metadata: { ...result, ...body } } });
    },
  }),
];
