// Summarises what an organisation has used of its plan (document 3, section 4.9).
import type { Platform } from '../../platform/platform.ts';
import { formatMonth } from '../../domain/billing/months.ts';
import { createUsageSummary, type UsageSummary } from '../../domain/billing/usage-summary.ts';
import { getMonthlyLimit } from '../../domain/identity/plans.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { OrganizationDocument } from '../organization/organization.model.ts';
import type { MeterService } from './meter.service.ts';

interface Deps {
  meter: MeterService;
}

const HISTORY_MONTHS = 12;

export function createUsageService(
  { models, clock, config }: Pick<Platform, 'models' | 'clock' | 'config'>,
  { meter }: Deps,
) {
  return {
    /** @throws AppError `NOT_FOUND` when the organisation has just been deleted */
    async loadSummary({ organizationId }: Tenant): Promise<UsageSummary> {
      const query = models.organizations.findById(organizationId, 'subscription');
      const { subscription } = await findOr404(query.lean<OrganizationDocument>());
      const { plan } = subscription;
      const limit = getMonthlyLimit(plan, config.ASSAY_LIMIT_SANDBOX);
      return createUsageSummary(
        { plan, limit },
        await meter.loadCounters(organizationId),
        clock.now(),
      );
    },

    /** The last twelve months, oldest first, with the present one. */
    async loadHistory({ organizationId }: Tenant): Promise<{ label: string; count: number }[]> {
      const months = await meter.countLastMonths(organizationId, HISTORY_MONTHS);
      return months.map(({ month, count }) => ({ label: formatMonth(month), count }));
    },
  };
}
export type UsageService = ReturnType<typeof createUsageService>;
