// Routes of webhooks and of the log of their deliveries (document 2, section 4.7).
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  attemptView,
  byDelivery,
  deletedWebhookView,
  deliveryQuery,
  deliveryView,
  messageExtra,
  newWebhookView,
  webhookChange,
  webhookInput,
  webhookQuery,
  webhookView,
} from './webhooks.schemas.ts';
import {
  listWebhooks,
  checkAddress,
  createWebhook,
  updateWebhook,
  removeWebhook,
  getWebhook,
} from './webhooks.service.ts';
import { sendTest } from './webhook-sender.service.ts';
import { listDeliveries, sendAgain } from './webhook-log.service.ts';

const plan = 'webhooks';
const manage = { auth: 'user', roles: MANAGERS, plan } as const;
const toAudit = (action: string) => ({ action, resource: 'webhook' });

export const webhookRoutes = [
  route({
    method: 'get',
    path: '/',
    summary:
      'List webhooks, newest first; without their secrets, and addresses whole to managers only',
    auth: 'reader',
    agentScope: 'filtered',
    plan,
    query: webhookQuery,
    page: { limit: 50, max: 200 },
    data: webhookView,
    handler: ({ ctx, query, page }) => listWebhooks(ctx, { ...query, ...page }),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Create a webhook; its signing secret is shown once',
    ...manage,
    verified: true,
    status: 201,
    body: webhookInput,
    data: newWebhookView,
    extra: messageExtra,
    codes: ['SSRF_BLOCKED', 'DUPLICATE', 'INVALID_OPERATION'],
    audit: toAudit('webhook.create'),
    prepare: ({ ctx, body }) => checkAddress(ctx.platform, body.url),
    async handler({ ctx, body }) {
      const created = await createWebhook(ctx, body);
      const message = 'Keep the signing secret: it is not shown again.';
      return reply(201, created, { extra: { message } });
    },
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change a webhook; the secret stays',
    ...manage,
    params: byId,
    body: webhookChange,
    data: webhookView,
    codes: ['SSRF_BLOCKED', 'DUPLICATE'],
    audit: toAudit('webhook.update'),
    prepare: ({ ctx, body }) => checkAddress(ctx.platform, body.url),
    readLastChange: async ({ ctx, params }) => (await getWebhook(ctx, params.id)).updatedAt,
    handler: ({ ctx, params, body }) => updateWebhook(ctx, params.id, body),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Remove a webhook',
    ...manage,
    params: byId,
    data: deletedWebhookView,
    audit: toAudit('webhook.delete'),
    handler: ({ ctx, params }) => removeWebhook(ctx, params.id),
  }),
  route({
    method: 'post',
    path: '/:id/test',
    summary: 'Send the event webhook.test now; a failure of the receiver is answered with 200',
    ...manage,
    params: byId,
    data: attemptView,
    codes: ['SSRF_BLOCKED', 'WEBHOOK_TEST_FAILED'],
    audit: toAudit('webhook.test'),
    async prepare({ ctx, params }) {
      return sendTest(ctx.platform, await getWebhook(ctx, params.id));
    },
    handler({ prepared: outcome }) {
      const { delivered, statusCode, error } = outcome;
      const failure = { code: 'WEBHOOK_TEST_FAILED', message: `The receiver ${error}` } as const;
      const details = { audit: { metadata: { delivered, statusCode } } };
      return Promise.resolve(reply(200, outcome, delivered ? details : { ...details, failure }));
    },
  }),
  route({
    method: 'get',
    path: '/:id/deliveries',
    summary: 'What became of the deliveries of the last week, newest first',
    auth: 'user',
    plan,
    params: byId,
    query: deliveryQuery,
    page: { limit: 50, max: 200 },
    data: deliveryView,
    handler: ({ ctx, params, query, page }) =>
      listDeliveries(ctx, params.id, { ...query, ...page }),
  }),
  route({
    method: 'post',
    path: '/:id/deliveries/:deliveryId/resend',
    summary: 'Send a delivery again, under the same webhook-id',
    ...manage,
    params: byDelivery,
    data: deliveryView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('webhook.resend'),
    async handler({ ctx, params }) {
      const { deliveryId } = params;
      const sent = await sendAgain(ctx, params);
      return reply(200, sent, { audit: { metadata: { deliveryId } } });
    },
  }),
];
