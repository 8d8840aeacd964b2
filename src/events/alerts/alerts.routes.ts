// Routes of alert rules, which notify receivers when decisions or the index look wrong (document 2, section 4.4).
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  actionOutcomesView,
  alertChange,
  alertInput,
  alertView,
  cpiCheckView,
  deletedAlertView,
} from './alerts.schemas.ts';
import {
  listRules,
  checkTargets,
  createRule,
  getRule,
  updateRule,
  removeRule,
} from './alerts.service.ts';
import { testRule } from './alert-actions.service.ts';
import { checkIndex } from './cpi-alerts.service.ts';

const plan = 'chatAlerts';
const manage = { auth: 'user', roles: MANAGERS, plan } as const;
const toAudit = (action: string) => ({ action, resource: 'alert' });

export const alertRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List alert rules, newest first; addresses whole to managers only',
    auth: 'reader',
    agentScope: 'filtered',
    plan,
    page: { limit: 100, max: 100 },
    data: alertView,
    handler: ({ ctx, page }) => listRules(ctx, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Create an alert rule',
    ...manage,
    verified: true,
    status: 201,
    body: alertInput,
    data: alertView,
    codes: ['SSRF_BLOCKED', 'INVALID_OPERATION'],
    audit: toAudit('alert.create'),
    prepare: ({ ctx, body }) => checkTargets(ctx.platform, body.actions),
    handler: async ({ ctx, body }) => reply(201, await createRule(ctx, body)),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change an alert rule',
    ...manage,
    verified: true,
    params: byId,
    body: alertChange,
    data: alertView,
    codes: ['SSRF_BLOCKED'],
    audit: toAudit('alert.update'),
    prepare: ({ ctx, body }) => checkTargets(ctx.platform, body.actions),
    readLastChange: async ({ ctx, params }) => (await getRule(ctx, params.id)).updatedAt,
    handler: ({ ctx, params, body }) => updateRule(ctx, params.id, body),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Remove an alert rule',
    auth: 'user',
    roles: ['owner'],
    plan,
    params: byId,
    data: deletedAlertView,
    audit: toAudit('alert.delete'),
    handler: ({ ctx, params }) => removeRule(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/:id/test',
    summary: 'Run every action with a made-up match',
    ...manage,
    verified: true,
    params: byId,
    data: actionOutcomesView,
    codes: ['TEST_FAILED'],
    audit: toAudit('alert.test'),
    prepare: ({ ctx, params }) => testRule(ctx, params.id),
    handler: ({ prepared: outcomes }) => Promise.resolve(outcomes),
  }),
  route({
    method: 'post',
    path: '/check-cpi',
    summary: 'Hold the current index of the organisation against its rules',
    ...manage,
    data: cpiCheckView,
    audit: toAudit('alert.check_cpi'),
    handler: ({ ctx }) => checkIndex(ctx),
  }),
];
