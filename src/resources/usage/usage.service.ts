// Summarises what an organisation has used of its plan (document 3, section 4.9).
import type { Platform } from '../../composition/platform.ts';
import { monthLabel } from '../../domain/billing/months.ts';
import { usageSummary, type UsageSummary } from '../../domain/billing/usage-summary.ts';
import { monthlyLimit } from '../../domain/identity/plans.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { OrganizationDocument } from '../organization/organization.model.ts';
import type { MeterService } from './meter.service.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'config'> & { meter: MeterService };

const HISTORY_MONTHS = 12;

export function createUsageService({ models, clock, config, meter }: Deps) {
  return {
    /** @throws AppError `NOT_FOUND` when the organisation has just been deleted */
    async current({ organizationId }: Tenant): Promise<UsageSummary> {
      const query = models.organizations.findById(organizationId, 'subscription');
      const { subscription } = await findOr404(query.lean<OrganizationDocument>());
      const { plan } = subscription;
      const limit = monthlyLimit(plan, config.ASSAY_LIMIT_SANDBOX);
      return usageSummary({ plan, limit }, await meter.counters(organizationId), clock.now());
    },

    /** The last twelve months, oldest first, with the present one. */
    async history({ organizationId }: Tenant): Promise<{ label: string; count: number }[]> {
      const months = await meter.months(organizationId, HISTORY_MONTHS);
      return months.map(({ month, count }) => ({ label: monthLabel(month), count }));
    },
  };
}
export type UsageService = ReturnType<typeof createUsageService>;
