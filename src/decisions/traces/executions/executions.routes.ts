// Executions of a decision: claim, outcome, list.
import { z } from 'zod';
import { claimExecution, endExecution, listExecutions } from './executions.service.ts';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byTrace } from '../../../http/declaration/views.ts';
import {
  byExecution,
  executionClaim,
  executionView,
  outcomeInput,
  reconciliationInput,
} from './executions.schemas.ts';

export const executionRoutes = [
  route({
    method: 'post',
    path: '/:id/executions',
    summary: 'Claim an approved action for its one execution; an entry of the chain',
    auth: 'anyKey',
    followsDecision: true,
    status: [201],
    writes: 'own',
    codes: [
      'DECISION_OBSERVED',
      'APPROVAL_PENDING',
      'APPROVAL_REJECTED',
      'APPROVAL_EXPIRED',
      'APPROVAL_MISMATCH',
      'APPROVAL_USED',
      'HALTED',
      'EFFECT_RESERVED',
      'EFFECT_DONE',
      'DECISION_ERASED',
      'INVALID_OPERATION',
    ],
    params: byTrace,
    body: executionClaim,
    data: executionView,
    repeatable: true,
    async handler({ ctx, params, body, meta }) {
      const claim = { ...body, headers: meta.headers };
      const { execution, isReplay } = await claimExecution(ctx, params.id, claim);
      const headers = isReplay ? { 'Idempotency-Replayed': 'true' } : {};
      return reply(201, execution, { headers });
    },
  }),
  route({
    method: 'patch',
    path: '/:id/executions/:executionId',
    summary: 'Record how an execution ended; an entry of the chain',
    auth: 'anyKey',
    followsDecision: true,
    writes: 'own',
    codes: ['EXECUTION_ENDED'],
    params: byExecution,
    body: outcomeInput,
    data: executionView,
    handler: ({ ctx, params, body }) => endExecution(ctx, params, body),
  }),
  route({
    method: 'post',
    path: '/:id/executions/:executionId/reconcile',
    summary: 'Say what became of an execution of which nothing was heard',
    auth: 'user',
    roles: MANAGERS,
    writes: 'own',
    codes: ['EXECUTION_ENDED'],
    params: byExecution,
    body: reconciliationInput,
    data: executionView,
    audit: { action: 'execution.reconcile', resource: 'trace' },
    async handler({ ctx, params, body }) {
      const ended = await endExecution(ctx, params, body);
      const { traceId, state } = ended;
      const metadata = { traceId, executionId: params.executionId, state };
      return reply(200, ended, { audit: { metadata } });
    },
  }),
  route({
    method: 'get',
    path: '/:id/executions',
    summary: 'The executions of a decision: none or one',
    auth: 'reader',
    agentScope: 'filtered',
    agentKeys: true,
    params: byTrace,
    data: z.array(executionView),
    handler: ({ ctx, params }) => listExecutions(ctx, params.id),
  }),
];
