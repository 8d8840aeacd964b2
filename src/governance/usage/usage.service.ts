// Summarises what an organisation has used of its plan (document 3, section 4.9).
import { findSubscription } from '../../identity/organization/organization-facts.service.ts';
import type { Context } from '../../platform/context.ts';
import { formatMonth } from '../../domain/billing/months.ts';
import { createUsageSummary, type UsageSummary } from '../../domain/billing/usage-summary.ts';
import { getMonthlyLimit } from '../../domain/identity/plans.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { listSpanTotals, type SpanTotals } from '../../decisions/otlp/span-counts.service.ts';
import { countLastMonths, loadCounters } from './meter.service.ts';

/** The usage of the month, with its spans by dialect. */
export type UsageView = UsageSummary & { spans: SpanTotals[] };

const HISTORY_MONTHS = 12;

/** @throws AppError `NOT_FOUND` when the organisation has just been deleted */
export async function loadUsage({ platform, tenant }: Context): Promise<UsageView> {
  const { organizationId } = tenant;
  const { plan } = await findOr404(findSubscription(platform, organizationId));
  const limit = getMonthlyLimit(plan, platform.config.ASSAY_LIMIT_SANDBOX);
  const [counters, spans] = await Promise.all([
    loadCounters(platform, organizationId),
    listSpanTotals(platform, organizationId),
  ]);
  return { ...createUsageSummary({ plan, limit }, counters, platform.clock.now()), spans };
}

/** The last twelve months, oldest first, with the present one. */
export async function loadUsageHistory({
  platform,
  tenant,
}: Context): Promise<{ label: string; count: number }[]> {
  const months = await countLastMonths(platform, tenant.organizationId, HISTORY_MONTHS);
  return months.map(({ month, count }) => ({ label: formatMonth(month), count }));
}
