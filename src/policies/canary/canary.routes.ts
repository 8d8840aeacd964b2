// Status of a policy's canary (document 2, section 4.2). It begins and ends by `PATCH /policies/:id`.
import { route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import { canaryStatusView } from './canary.schemas.ts';
import { loadCanaryStatus } from './canary.service.ts';

export const policyCanaryRoutes = [
  route({
    method: 'get',
    path: '/:id/canary-status',
    summary: 'The newest canary of a policy: what its sequential test says, and the sample sizes',
    auth: 'reader',
    agentScope: 'irrelevant',
    params: byId,
    data: canaryStatusView,
    handler: ({ ctx, params }) => loadCanaryStatus(ctx, params.id),
  }),
];
