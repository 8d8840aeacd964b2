// Access requests of AuthZEN: who was denied by a hold gets its task, reads it, and cancels it.
import { WRITERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  accessRequestInput,
  accessRequestView,
  type AccessTask,
  cancellationInput,
  cancelledView,
  taskParams,
} from './access-requests.schemas.ts';
import { cancelTask, readTask, submitAccessRequest } from './access-requests.service.ts';

/** Seconds after which a task is worth reading again. */
const POLL_SECONDS = '5';

const toPollHeaders = ({ task }: Pick<AccessTask, 'task'>): Record<string, string> =>
  task.status === 'pending' ? { 'Retry-After': POLL_SECONDS } : {};

export const accessRequestRoutes = [
  route({
    method: 'post',
    path: '/',
    summary: 'Request what was denied by a hold; answers the task that the hold is',
    auth: 'anyKey',
    writes: 'own',
    kind: 'task',
    followsDecision: true,
    repeatable: true,
    bodyLimit: 150 * 1024,
    status: [201, 202],
    codes: ['DENIAL_NOT_REQUESTABLE', 'DENIAL_MISMATCH', 'DENIAL_EXPIRED', 'REQUEST_DIFFERS'],
    body: accessRequestInput,
    data: accessRequestView,
    audit: { action: 'access.request', resource: 'review' },
    async handler({ ctx, body, meta }) {
      const answer = await submitAccessRequest(ctx, meta, body);
      const { id, status, status_endpoint: Location } = answer.task;
      return reply(status === 'pending' ? 202 : 201, answer, {
        headers: { Location, ...toPollHeaders(answer) },
        audit: { metadata: { traceId: id, status } },
      });
    },
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'What became of a request, and the approval to ask again with',
    auth: 'reader',
    agentScope: 'filtered',
    agentKeys: true,
    kind: 'task',
    followsDecision: true,
    params: taskParams,
    data: accessRequestView,
    async handler({ ctx, params }) {
      const answer = await readTask(ctx, params.id);
      return reply(200, answer, { headers: toPollHeaders(answer) });
    },
  }),
  route({
    method: 'post',
    path: '/:id/cancel',
    summary: 'Cancel a request that waits: the hold is withdrawn',
    auth: 'keyOrUser',
    roles: WRITERS,
    agentScope: 'filtered',
    agentKeys: true,
    kind: 'task',
    followsDecision: true,
    writes: 'own',
    codes: ['INVALID_OPERATION', 'REVIEW_ENDED'],
    params: taskParams,
    body: cancellationInput,
    data: cancelledView,
    audit: { action: 'review.withdraw', resource: 'review' },
    async handler({ ctx, params, body }) {
      const answer = await cancelTask(ctx, params.id, body);
      return reply(200, answer, { audit: { metadata: { traceId: answer.task.id } } });
    },
  }),
];
