// Feedback ingestion: verdicts on decisions that people gave outside Assay.
import { recordFeedback } from './feedback.service.ts';
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
    async handler({ ctx, body }) {
      const outcome = await recordFeedback(ctx, body);
      const { traceId, repeated, counted, claimedBy, hashChain } = outcome;
      const action = ACTIONS[body.action];
      const { sequence } = hashChain;
      const { userEmail } = body;
      const metadata = { traceId, userEmail, claimedBy, sequence, repeated, counted };
      return reply(200, outcome, { audit: { action, resourceId: traceId, metadata } });
    },
  }),
];
