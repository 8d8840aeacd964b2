// Summarises what an organisation has used of its plan (document 3, section 4.9).
import { findSubscription } from '../../identity/organization/organization-facts.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { formatMonth } from '../../domain/billing/months.ts';
import { createUsageSummary, type UsageSummary } from '../../domain/billing/usage-summary.ts';
import { getMonthlyLimit } from '../../domain/identity/plans.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { listSpanTotals, type SpanTotals } from '../../decisions/otlp/span-counts.service.ts';
import type { MeterService } from './meter.service.ts';

interface Deps {
  meter: MeterService;
}

/** The usage of the month, with its spans by dialect. */
export type UsageView = UsageSummary & { spans: SpanTotals[] };

const HISTORY_MONTHS = 12;

export function createUsageService(platform: Platform, { meter }: Deps) {
  const { clock, config } = platform;
  return {
    /** @throws AppError `NOT_FOUND` when the organisation has just been deleted */
    async loadSummary({ organizationId }: Tenant): Promise<UsageView> {
      const { plan } = await findOr404(findSubscription(platform, organizationId));
      const limit = getMonthlyLimit(plan, config.ASSAY_LIMIT_SANDBOX);
      const [counters, spans] = await Promise.all([
        meter.loadCounters(organizationId),
        listSpanTotals(platform, organizationId),
      ]);
      return { ...createUsageSummary({ plan, limit }, counters, clock.now()), spans };
    },

    /** The last twelve months, oldest first, with the present one. */
    async loadHistory({ organizationId }: Tenant): Promise<{ label: string; count: number }[]> {
      const months = await meter.countLastMonths(organizationId, HISTORY_MONTHS);
      return months.map(({ month, count }) => ({ label: formatMonth(month), count }));
    },
  };
}
export type UsageService = ReturnType<typeof createUsageService>;
