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
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { PaymentProcessor } from '../../platform/outbound/payment-processor.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import {
  type OrganizationSubscription,
  findSubscription,
} from '../../identity/organization/organization-facts.service.ts';
import { countThisMonth } from '../usage/meter.service.ts';
import type { checkoutInput, BillingOverview } from './billing.schemas.ts';

interface Deps {
  payments: PaymentProcessor;
}

export function createBillingService(platform: Platform, { payments }: Deps) {
  const { clock, config, publicUrl } = platform;
  const returnUrl = config.ASSAY_BILLING_RETURN_URL ?? `${publicUrl}/`;

  async function loadSubscription({ organizationId }: Tenant): Promise<OrganizationSubscription> {
    const subscription = await findSubscription(platform, organizationId);
    if (!subscription) throw new AppError('ORG_NOT_FOUND');
    return subscription;
  }

  function requireConfigured(): void {
    if (!payments.isConfigured) throw new AppError('CONFIG_ERROR', 'No payment key is configured');
  }

  return {
    /** @throws AppError `ORG_NOT_FOUND` */
    async loadOverview(tenant: Tenant): Promise<BillingOverview> {
      const subscription = await loadSubscription(tenant);
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
          traces: await countThisMonth(platform, tenant.organizationId),
          tracesLimit: getMonthlyLimit(plan, config.ASSAY_LIMIT_SANDBOX),
        },
        invoices: [],
      };
    },

    listPlans(): CataloguePlan[] {
      return buildPlanCatalogue(config.ASSAY_PLAN_PRICES ?? new Map(), config.ASSAY_LIMIT_SANDBOX);
    },

    /**
     * @throws AppError `CONFIG_ERROR`, `ORG_NOT_FOUND`, `INVALID_OPERATION` when there is a live subscription
     * already
     */
    async openCheckout(
      tenant: Tenant,
      { email }: User,
      { planId }: z.output<typeof checkoutInput>,
    ): Promise<{ url: string }> {
      requireConfigured();
      const prices = findCheckoutPrices(planId, config.STRIPE_PRICES ?? new Map());
      if (!prices) throw new AppError('CONFIG_ERROR', `${planId} has no prices (STRIPE_PRICES)`);
      const subscription = await loadSubscription(tenant);
      if (isLive(subscription))
        throw new AppError('INVALID_OPERATION', 'There is a subscription: change it in the portal');
      const { organizationId } = tenant;
      const customerId = subscription.paymentCustomerId;
      const order = { organizationId, planId, prices, customerId, email, returnUrl };
      return { url: await payments.openCheckout(order) };
    },

    /** Reports under the id of the outbox row, which is the same on a retry. */
    async reportOverage({ _id, payload }: Pick<OutboxDocument, '_id' | 'payload'>): Promise<void> {
      const { customerId, count, at } = payload as { customerId: string; count: number; at: Date };
      await payments.report({ identifier: _id.toHexString(), customerId, count, at });
    },

    /** @throws AppError `CONFIG_ERROR`, `ORG_NOT_FOUND`, `NO_PAYMENT_CUSTOMER` */
    async openPortal(tenant: Tenant): Promise<{ url: string }> {
      requireConfigured();
      const { paymentCustomerId } = await loadSubscription(tenant);
      if (paymentCustomerId === null) throw new AppError('NO_PAYMENT_CUSTOMER');
      return { url: await payments.openPortal(paymentCustomerId, returnUrl) };
    },
  };
}
export type BillingService = ReturnType<typeof createBillingService>;
