// Billing: an organisation's subscription, and the processor's pages to change it (document 3, section 4.8).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { toMonthStart } from '../../domain/billing/months.ts';
import {
  type CataloguePlan,
  buildPlanCatalogue,
  findCheckoutPrices,
} from '../../domain/billing/plan-catalogue.ts';
import { isLive } from '../../domain/billing/subscription.ts';
import { getMonthlyLimit } from '../../domain/identity/plans.ts';
import { AppError } from '../../errors.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import {
  openPaymentProcessor,
  type PaymentProcessor,
} from '../../platform/outbound/payment-processor.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import {
  type OrganizationSubscription,
  findSubscription,
} from '../../identity/organization/organization-facts.service.ts';
import { countThisMonth } from '../usage/meter.service.ts';
import type { checkoutInput, BillingOverview } from './billing.schemas.ts';

/** @throws AppError `ORG_NOT_FOUND` */
export async function loadBilling(ctx: Context): Promise<BillingOverview> {
  const { config, clock } = ctx.platform;
  const subscription = await loadSubscription(ctx);
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd, paymentCustomerId } = subscription;
  return {
    subscription: {
      plan,
      status,
      currentPeriodEnd: currentPeriodEnd ?? toMonthStart(clock.now(), 1),
      cancelAtPeriodEnd,
      paymentCustomerId,
    },
    usage: {
      traces: await countThisMonth(ctx.platform, ctx.tenant.organizationId),
      tracesLimit: getMonthlyLimit(plan, config.ASSAY_LIMIT_SANDBOX),
    },
    invoices: [],
  };
}

export function listPlans({ config }: Platform): CataloguePlan[] {
  return buildPlanCatalogue(config.ASSAY_PLAN_PRICES ?? new Map(), config.ASSAY_LIMIT_SANDBOX);
}

/**
 * @throws AppError `CONFIG_ERROR`, `ORG_NOT_FOUND`, `INVALID_OPERATION` when there is a live subscription
 * already
 */
export async function openCheckout(
  ctx: UserContext,
  { planId }: z.output<typeof checkoutInput>,
): Promise<{ url: string }> {
  const { platform, tenant, user } = ctx;
  const payments = requirePayments(platform);
  const prices = findCheckoutPrices(planId, platform.config.STRIPE_PRICES ?? new Map());
  if (!prices) throw new AppError('CONFIG_ERROR', `${planId} has no prices (STRIPE_PRICES)`);
  const subscription = await loadSubscription(ctx);
  if (isLive(subscription))
    throw new AppError('INVALID_OPERATION', 'There is a subscription: change it in the portal');
  const url = await payments.openCheckout({
    organizationId: tenant.organizationId,
    planId,
    prices,
    customerId: subscription.paymentCustomerId,
    email: user.email,
    returnUrl: getReturnUrl(platform),
  });
  return { url };
}

/** @throws AppError `CONFIG_ERROR`, `ORG_NOT_FOUND`, `NO_PAYMENT_CUSTOMER` */
export async function openPortal(ctx: Context): Promise<{ url: string }> {
  const payments = requirePayments(ctx.platform);
  const { paymentCustomerId } = await loadSubscription(ctx);
  if (paymentCustomerId === null) throw new AppError('NO_PAYMENT_CUSTOMER');
  return { url: await payments.openPortal(paymentCustomerId, getReturnUrl(ctx.platform)) };
}

/** Reports under the id of the outbox row, which is the same on a retry. */
export async function reportOverage(
  platform: Platform,
  { _id, payload }: Pick<OutboxDocument, '_id' | 'payload'>,
): Promise<void> {
  const { customerId, count, at } = payload as { customerId: string; count: number; at: Date };
  const identifier = _id.toHexString();
  await openPaymentProcessor(platform).report({ identifier, customerId, count, at });
}

async function loadSubscription({ platform, tenant }: Context): Promise<OrganizationSubscription> {
  const subscription = await findSubscription(platform, tenant.organizationId);
  if (!subscription) throw new AppError('ORG_NOT_FOUND');
  return subscription;
}

/** @throws AppError `CONFIG_ERROR` */
function requirePayments(platform: Platform): PaymentProcessor {
  const payments = openPaymentProcessor(platform);
  if (!payments.isConfigured) throw new AppError('CONFIG_ERROR', 'No payment key is configured');
  return payments;
}

const getReturnUrl = ({ config, publicUrl }: Platform): string =>
  config.ASSAY_BILLING_RETURN_URL ?? `${publicUrl}/`;
