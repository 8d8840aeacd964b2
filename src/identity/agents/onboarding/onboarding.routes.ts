// Routes of onboarding: the user's draft, the wizard's progress, completing and discarding.
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { agentView, deletedAgentView, draftView } from '../agents.schemas.ts';
import { onboardingProgress } from './onboarding.schemas.ts';
import {
  findOnboardingDraft,
  saveOnboarding,
  completeOnboarding,
  discardOnboarding,
} from './onboarding.service.ts';

const perUser = { name: 'onboarding', by: 'user', max: 'ASSAY_LIMIT_ONBOARDING' } as const;
const user = { auth: 'user', limits: [perUser] } as const;
const change = {
  ...user,
  roles: MANAGERS,
  invalidCode: 'SVC_VALIDATION_FAILED',
  codes: ['INVALID_OPERATION'],
  params: byId,
} as const;
const toAudit = (action: string) => ({ action, resource: 'agent' });

export const onboardingRoutes = [
  route({
    method: 'get',
    path: '/onboarding/draft',
    summary: "The user's agent that is still in onboarding, if there is one",
    ...user,
    data: draftView,
    handler: ({ ctx }) => findOnboardingDraft(ctx),
  }),
  route({
    method: 'patch',
    path: '/:id/onboarding',
    summary: 'Keep where the wizard is and what was entered',
    ...change,
    body: onboardingProgress,
    data: agentView,
    audit: toAudit('agent.update_onboarding'),
    handler: ({ ctx, params, body }) => saveOnboarding(ctx, params.id, body),
  }),
  route({
    method: 'post',
    path: '/:id/onboarding/complete',
    summary: 'Complete the onboarding',
    ...change,
    data: agentView,
    audit: toAudit('agent.complete_onboarding'),
    handler: ({ ctx, params }) => completeOnboarding(ctx, params.id),
  }),
  route({
    method: 'delete',
    path: '/:id/onboarding',
    summary: 'Discard the draft; its key is void',
    ...change,
    data: deletedAgentView,
    audit: toAudit('agent.discard_onboarding'),
    handler: ({ ctx, params }) => discardOnboarding(ctx, params.id),
  }),
];
