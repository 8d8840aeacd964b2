// Inputs and views of billing (document 3, sections 2 and 4.8).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { OVERAGES, PLAN_IDS } from '../../domain/billing/plan-catalogue.ts';
import { instant, planName } from '../../http/declaration/views.ts';

export const checkoutInput = z.strictObject({ planId: z.enum(PLAN_IDS) });

export const billingView = z.object({
  subscription: z.object({
    plan: planName,
    status: z.string().describe('As the payment processor has it'),
    currentPeriodEnd: instant.describe('Without one, the first of the next month'),
    cancelAtPeriodEnd: z.boolean(),
    paymentCustomerId: z.string().nullable(),
  }),
  usage: z.object({
    traces: z.number().int(),
    tracesLimit: z.number().int().nullable().describe('Null: unlimited'),
  }),
  invoices: z.array(z.never()).describe('Always empty; the portal shows them'),
});
export type BillingOverview = z.input<typeof billingView>;

const amount = z.number().nullable();

export const planView = z.object({
  plan: planName,
  monthlyLimit: z.number().int().nullable().describe('Decisions a month; null: unlimited'),
  overage: z.enum(OVERAGES).describe('What happens beyond the limit'),
  overageRate: amount.describe('For each decision beyond the limit, where it is billed'),
  description: z.string(),
  currency: z.literal('EUR'),
  prices: z.object({ monthly: amount, annual: amount }).describe('Null: not configured'),
});

export const redirectView = z.object({ url: z.string() });

nameSchemas({
  CheckoutInput: checkoutInput,
  Billing: billingView,
  PlanOffer: planView,
  BillingRedirect: redirectView,
});
