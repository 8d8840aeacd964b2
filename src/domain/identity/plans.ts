// Plans, their monthly allowances and their features (document 1, section 5; document 3, section 2).

export const PLANS = ['sandbox', 'scale', 'governance', 'enterprise', 'custom'] as const;
export type Plan = (typeof PLANS)[number];

/** The lowest plan that has the feature. */
export const FEATURES = {
  export: 'scale',
  memorySearch: 'scale',
  webhooks: 'scale',
  chatAlerts: 'scale',
  mcpServer: 'scale',
  auditLog: 'scale',
  auditLogPdf: 'governance',
  friaWizard: 'governance',
  hashChainAudit: 'governance',
  multiClockIncidents: 'governance',
  complianceMapping: 'governance',
  provOExport: 'governance',
  sso: 'governance',
  scim: 'enterprise',
  privacyBudget: 'enterprise',
  c2paContentCredentials: 'enterprise',
  cpiFeedbackIngest: 'enterprise',
} as const satisfies Record<string, Plan>;
export type Feature = keyof typeof FEATURES;

interface Allowance {
  /** Traces per calendar month (UTC); null: unlimited. */
  monthlyTraces: number | null;
  /** The effect of exceeding the allowance. */
  overage: 'block' | 'bill';
}

export const ALLOWANCES: Readonly<Record<Plan, Allowance>> = {
  sandbox: { monthlyTraces: 10_000, overage: 'block' },
  scale: { monthlyTraces: 100_000, overage: 'bill' },
  governance: { monthlyTraces: 500_000, overage: 'bill' },
  enterprise: { monthlyTraces: 2_000_000, overage: 'bill' },
  custom: { monthlyTraces: null, overage: 'bill' },
};

/** The plans that have a feature, cheapest first. */
export function listFeaturePlans(feature: Feature): Plan[] {
  return PLANS.slice(PLANS.indexOf(FEATURES[feature]));
}

/**
 * Decisions a month that the plan includes; null: unlimited.
 * @param sandbox the monthly limit of the sandbox plan in this installation
 */
export function getMonthlyLimit(plan: Plan, sandbox: number): number | null {
  return plan === 'sandbox' ? sandbox : ALLOWANCES[plan].monthlyTraces;
}

/** Decisions a month after which ingestion is refused; null where the plan bills the overage. */
export function getHardLimit(plan: Plan, sandbox: number): number | null {
  return ALLOWANCES[plan].overage === 'block' ? getMonthlyLimit(plan, sandbox) : null;
}
