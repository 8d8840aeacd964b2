// Routes of billing: the subscription, the plans, and the processor's pages to change it (document 3, section 4.8).
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { billingView, checkoutInput, planView, redirectView } from './billing.schemas.ts';
import { listPlans, loadBilling, openCheckout, openPortal } from './billing.service.ts';

/** These routes wait for the processor before they write anything. */
const manage = {
  method: 'post',
  auth: 'user',
  roles: MANAGERS,
  forbiddenCode: 'BILLING_FORBIDDEN',
  data: redirectView,
} as const;
const toAudit = (action: string) => ({ action, resource: 'subscription' });

export const billingRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'Subscription and usage of the organisation',
    auth: 'user',
    data: billingView,
    codes: ['ORG_NOT_FOUND'],
    handler: ({ ctx }) => loadBilling(ctx),
  }),
  route({
    method: 'get',
    path: '/plans',
    summary: 'The plans, what they include and what they cost',
    auth: 'user',
    data: z.array(planView),
    handler: ({ ctx }) => Promise.resolve(listPlans(ctx.platform)),
  }),
  route({
    ...manage,
    path: '/checkout',
    summary: 'Open a checkout for a plan',
    body: checkoutInput,
    invalidCode: 'INVALID_PLAN',
    failedCode: 'CHECKOUT_FAILED',
    codes: ['CONFIG_ERROR', 'ORG_NOT_FOUND', 'INVALID_OPERATION'],
    audit: toAudit('billing.checkout'),
    prepare: ({ ctx, body }) => openCheckout(ctx, body),
    handler: ({ body, prepared }) =>
      Promise.resolve(reply(200, prepared, { audit: { metadata: { planId: body.planId } } })),
  }),
  route({
    ...manage,
    path: '/portal',
    summary: 'Open the self-service portal of the payment processor',
    failedCode: 'PORTAL_FAILED',
    codes: ['CONFIG_ERROR', 'ORG_NOT_FOUND', 'NO_PAYMENT_CUSTOMER'],
    audit: toAudit('billing.portal'),
    prepare: ({ ctx }) => openPortal(ctx),
    handler: ({ prepared }) => Promise.resolve(reply(200, prepared)),
  }),
];
