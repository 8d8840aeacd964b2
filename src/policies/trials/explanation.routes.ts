// Why a decision was judged as it was: below a decision, since it is read beside it.
import { route } from '../../http/declaration/define-route.ts';
import { byDecision, explanationView } from './explanation.schemas.ts';
import { explainVerdict } from './explanation.service.ts';

export const explanationRoutes = [
  route({
    method: 'get',
    path: '/:id/explanation',
    summary: 'Each policy that judged the decision, each condition, and the value that it saw',
    auth: 'reader',
    agentScope: 'filtered',
    params: byDecision,
    data: explanationView,
    handler: ({ ctx, params }) => explainVerdict(ctx, params.id),
  }),
];
