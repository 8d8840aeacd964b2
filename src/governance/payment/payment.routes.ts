// The route for events of the payment processor: signed, applied once, in any order (document 3, section 6).
import { reply, route } from '../../http/declaration/define-route.ts';
import { paymentEventInput, receivedView } from './payment-events.schemas.ts';
import { takePaymentEvent, verifyPaymentEvent } from './payment-events.service.ts';

export const paymentRoutes = [
  route({
    method: 'post',
    path: '/webhook',
    summary:
      'Take an event of the payment processor, signed by Stripe-Signature; unknown ones are ignored',
    auth: 'public',
    bodyLimit: 512 * 1024,
    body: paymentEventInput,
    data: receivedView,
    codes: ['CONFIG_ERROR'],
    audit: { action: 'billing.subscription.updated', resource: 'subscription' },
    prepare: ({ ctx, meta }) =>
      verifyPaymentEvent(ctx.platform, meta.rawBody, meta.headers['stripe-signature']),
    async handler({ ctx, body }) {
      const changes = await takePaymentEvent(ctx.platform, body);
      const audit = changes.map(({ organizationId, before, after }) => ({
        organizationId,
        resourceId: organizationId,
        metadata: {
          actor: 'payment-processor',
          event: body.id,
          from: { plan: before.plan, status: before.status },
          to: { plan: after.plan, status: after.status },
        },
      }));
      return reply(200, { received: true }, { audit });
    },
  }),
];
