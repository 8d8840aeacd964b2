// The catalogue of plans: their allowances, prices and plan ids for the checkout (document 3, sections 2 and 4.8).
import { ALLOWANCES, type Plan, PLANS } from '../identity/plans.ts';

const PAID = ['scale', 'governance', 'enterprise'] as const;
export type PaidPlan = (typeof PAID)[number];

/** A plan and its billing interval, as a checkout names them. */
export const PLAN_IDS = [
  'scale_monthly',
  'scale_annual',
  'governance_monthly',
  'governance_annual',
  'enterprise_monthly',
  'enterprise_annual',
] as const;
export type PlanId = (typeof PLAN_IDS)[number];

/** Configured values by name, such as `scale_monthly`. */
export type ConfiguredValues = ReadonlyMap<string, string>;

export const OVERAGES = ['blocked', 'billed', 'contract'] as const;

interface Offer {
  overage: (typeof OVERAGES)[number];
  /** EUR for each decision beyond the limit; null: nothing is billed, or a contract sets the price. */
  overageRate: number | null;
  description: string;
}

const OFFERS: Readonly<Record<Plan, Offer>> = {
  sandbox: {
    overage: 'blocked',
    overageRate: null,
    description: 'For trying out: decisions beyond the limit are refused',
  },
  scale: {
    overage: 'billed',
    overageRate: 0.003,
    description: 'Alerts, webhooks, exports and the audit log',
  },
  governance: {
    overage: 'billed',
    overageRate: 0.001,
    description:
      'Impact assessments, incidents, compliance mapping, chain audit and single sign-on',
  },
  enterprise: {
    overage: 'billed',
    overageRate: 0.0005,
    description: 'Provisioning by SCIM, privacy budget, content credentials and feedback ingestion',
  },
  custom: {
    overage: 'contract',
    overageRate: null,
    description: 'Everything, without a limit, by contract',
  },
};

export interface CataloguePlan extends Offer {
  plan: Plan;
  monthlyLimit: number | null;
  currency: 'EUR';
  /** The prices configured for the installation; null: not configured. */
  prices: { monthly: number | null; annual: number | null };
}

/** Every plan, cheapest first. @param sandbox the monthly limit of that plan here */
export function buildPlanCatalogue(amounts: ConfiguredValues, sandbox: number): CataloguePlan[] {
  const toAmount = (name: string): number | null => {
    const amount = amounts.get(name);
    return amount === undefined ? null : Number(amount);
  };
  return PLANS.map((plan) => ({
    plan,
    monthlyLimit: plan === 'sandbox' ? sandbox : ALLOWANCES[plan].monthlyTraces,
    ...OFFERS[plan],
    currency: 'EUR',
    prices: { monthly: toAmount(`${plan}_monthly`), annual: toAmount(`${plan}_annual`) },
  }));
}

/** The two price ids of a checkout: the plan's own and its overage; null when either is not configured. */
export function findCheckoutPrices(
  planId: PlanId,
  priceIds: ConfiguredValues,
): { base: string; overage: string } | null {
  const base = priceIds.get(planId);
  const overage = priceIds.get(planId.replace(/_\w+$/, '_overage'));
  return base === undefined || overage === undefined ? null : { base, overage };
}

/** A price of a subscription. */
export interface Price {
  id: string;
  lookupKey: string | null;
}

/**
 * The plan that a subscription's prices stand for: by configured price id, else by look-up key; null: no known price.
 */
export function findPlan(prices: readonly Price[], priceIds: ConfiguredValues): Plan | null {
  const names = new Map([...priceIds].map(([name, id]) => [id, name]));
  const byId = prices.map(({ id }) => parsePlanName(names.get(id) ?? null));
  const byKey = prices.map(({ lookupKey }) => parsePlanName(lookupKey));
  return [...byId, ...byKey].find((plan) => plan !== null) ?? null;
}

/** `scale_monthly` and `scale` mean scale; the metered price of a plan stands for no plan. */
function parsePlanName(name: string | null): Plan | null {
  const [, plan, interval] = /^([a-z]+)(?:_(monthly|annual))?$/.exec(name ?? '') ?? [];
  if (plan === 'custom' && interval === undefined) return 'custom';
  return PAID.find((paid) => paid === plan) ?? null;
}
