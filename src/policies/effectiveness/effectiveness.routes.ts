// Routes of the effectiveness of policies, and of the auditor's view (document 2, section 4.2).
import { MANAGERS, READERS } from '../../domain/identity/roles.ts';
import { route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import { effectView } from './effect.schemas.ts';
import { describeEffect } from './effect.service.ts';
import { auditorView, effectivenessView } from './effectiveness.schemas.ts';
import { buildAuditorView, measureEffectiveness } from './effectiveness.service.ts';

/** These routes are mounted before those of a policy by id. */
export const policyEffectivenessRoutes = [
  route({
    method: 'get',
    path: '/effectiveness',
    summary: 'Precision, recall, F1 and false-positive rate of each policy',
    auth: 'reader',
    roles: [...READERS, 'auditor'],
    agentScope: 'filtered',
    heavy: true,
    data: effectivenessView,
    handler: ({ ctx }) => measureEffectiveness(ctx),
  }),
  route({
    method: 'get',
    path: '/audit/auditor-view',
    summary: 'The policies as an auditor sees them: changes, matches, effectiveness',
    auth: 'user',
    roles: [...MANAGERS, 'auditor'],
    heavy: true,
    data: auditorView,
    handler: ({ ctx }) => buildAuditorView(ctx),
  }),
  route({
    method: 'get',
    path: '/:id/effect',
    summary: 'What a policy matched lately, by day, verdict, agent and tool',
    auth: 'reader',
    agentScope: 'filtered',
    heavy: true,
    params: byId,
    data: effectView,
    handler: ({ ctx, params }) => describeEffect(ctx, params.id),
  }),
];
