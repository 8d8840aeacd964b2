// Feedback ingestion: what people decided elsewhere about decisions.
import { reply, route } from '../../../http/declaration/define-route.ts';
import { feedbackInput, feedbackView } from './feedback.schemas.ts';

const ACTIONS = { approve: 'cpi.approved', correct: 'cpi.corrected' } as const;

export const feedbackRoutes = [
  route({
    method: 'post',
    path: '/ingest',
    summary: 'A person’s verdict on a decision: approved or corrected; an entry of the chain',
    auth: 'workspaceKey',
    plan: 'cpiFeedbackIngest',
    writes: 'own',
    codes: ['INVALID_OPERATION'],
    body: feedbackInput,
    data: feedbackView,
    audit: { action: 'cpi.ingest', resource: 'trace' },
    async handler({ tenant, body }, { traces }) {
      const outcome = await traces.feedback.ingest(tenant, body);
      const { traceId, repeated, hashChain } = outcome;
      const action = ACTIONS[body.action];
      const { sequence } = hashChain;
      const metadata = { traceId, userEmail: body.userEmail, sequence, repeated };
      return reply(200, outcome, { audit: { action, resourceId: traceId, metadata } });
    },
  }),
];
