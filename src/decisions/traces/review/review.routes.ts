// The review queue: list, decide one or many, assign, escalate.
import { z } from 'zod';
import { decideAndGrant } from './approvals/granted-approval.service.ts';
import { decideReviews, describeApproval } from './review-decisions.service.ts';
import { listReviews, findReview, loadReview } from './review-queue.service.ts';
import { assignReview, escalateReview } from './review-handling.service.ts';
import { REVIEWERS, WRITERS } from '../../../domain/identity/roles.ts';
import { reply, type RequestMeta, route } from '../../../http/declaration/define-route.ts';
import { byId, signatureRequestView } from '../../../http/declaration/views.ts';
import type { VerdictWay } from './review-amendment.ts';
import {
  assignmentInput,
  bulkDecisionInput,
  bulkDecisionView,
  decisionInput,
  escalationInput,
  itemParams,
  LIST_MAX,
  listedReviewView,
  reviewItemView,
  reviewListExtra,
  reviewQuery,
  statementQuery,
} from './review.schemas.ts';

/** The console marks its requests. */
const readWay = ({ headers }: RequestMeta): { way?: VerdictWay } =>
  headers['x-assay-console'] === undefined ? {} : { way: { via: 'console' } };

const toAudit = (action: string) => ({ action, resource: 'review' });

export const reviewRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The decisions that wait for a person, and those that were decided, newest first',
    auth: 'reader',
    agentScope: 'filtered',
    heavy: true,
    query: reviewQuery,
    data: z.array(listedReviewView),
    extra: reviewListExtra,
    async handler({ ctx, query }) {
      const { items, ...rest } = await listReviews(ctx, query);
      const { limit = LIST_MAX } = query;
      return reply(200, items, { extra: { count: items.length, limit, ...rest } });
    },
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One item, by its id or by the `traceId` of its decision',
    auth: 'reader',
    agentScope: 'filtered',
    params: itemParams,
    data: listedReviewView,
    async handler({ ctx, params }) {
      return reply(200, await findReview(ctx, params.id));
    },
  }),
  route({
    method: 'get',
    path: '/:id/statement',
    summary: 'What you sign to approve the item as it is now, and what a browser needs for it',
    auth: 'user',
    roles: REVIEWERS,
    codes: ['INVALID_OPERATION', 'REVIEW_ENDED'],
    params: byId,
    query: statementQuery,
    data: signatureRequestView,
    handler: async ({ ctx, params, query }) =>
      reply(200, (await describeApproval(ctx, params.id, query.edits)) as never),
  }),
  route({
    method: 'post',
    path: '/:id/decision',
    summary: 'Approve or reject a held decision; final, and an entry of the chain',
    auth: 'user',
    roles: REVIEWERS,
    writes: 'own',
    codes: [
      'INVALID_OPERATION',
      'REVIEW_ENDED',
      'EDITS_MASKED',
      'HALTED',
      'LIMIT_REACHED',
      'SIGNATURE_REQUIRED',
      'SIGNATURE_INVALID',
    ],
    params: byId,
    body: decisionInput,
    data: reviewItemView,
    audit: toAudit('review.decision'),
    async handler({ ctx, params, body, meta }) {
      const granted = await decideAndGrant(ctx, params.id, { ...body, ...readWay(meta) });
      const item = { ...(await loadReview(ctx, params.id)), ...granted };
      const { traceId, decision, receipt } = item;
      const metadata = { traceId, decision, sequence: receipt?.sequence ?? null, ...granted };
      return reply(200, item, { audit: { metadata } });
    },
  }),
  route({
    method: 'post',
    path: '/bulk-decision',
    summary: 'Decide many held decisions; those that are decided already are skipped',
    auth: 'user',
    roles: REVIEWERS,
    writes: 'own',
    codes: ['HALTED', 'LIMIT_REACHED', 'SIGNATURE_REQUIRED'],
    body: bulkDecisionInput,
    data: bulkDecisionView,
    audit: toAudit('review.bulk_decision'),
    async handler({ ctx, body, meta }) {
      const verdict = { ...body, ...readWay(meta) };
      const decided = await decideReviews(ctx, verdict);
      const { undecided: _why, ...metadata } = decided;
      const audit = { metadata: { ...metadata, decision: body.decision } };
      return reply(200, decided, { audit });
    },
  }),
  route({
    method: 'patch',
    path: '/:id/assign',
    summary: 'Assign a pending item to a member, or remove the assignment',
    auth: 'user',
    roles: WRITERS,
    writes: 'own',
    codes: ['INVALID_OPERATION'],
    params: byId,
    body: assignmentInput,
    data: reviewItemView,
    audit: toAudit('review.assign'),
    async handler({ ctx, params, body: { assignedTo = null } }) {
      await assignReview(ctx, params.id, assignedTo);
      const item = await loadReview(ctx, params.id);
      const metadata = { traceId: item.traceId, assignedTo };
      return reply(200, item, { audit: { metadata } });
    },
  }),
  route({
    method: 'post',
    path: '/:id/escalate',
    summary: 'Escalate a pending item; it stays pending',
    auth: 'user',
    roles: WRITERS,
    writes: 'own',
    codes: ['INVALID_OPERATION'],
    params: byId,
    body: escalationInput,
    data: reviewItemView,
    audit: toAudit('review.escalate'),
    async handler({ ctx, params, body }) {
      await escalateReview(ctx, params.id, body);
      const item = await loadReview(ctx, params.id);
      const escalatedTo = item.escalatedTo?.toHexString() ?? null;
      return reply(200, item, { audit: { metadata: { traceId: item.traceId, escalatedTo } } });
    },
  }),
];
