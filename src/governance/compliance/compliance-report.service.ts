// The compliance report: the index, the reviews and the chain of an organisation on one page.
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { describeStatus } from '../../evidence/hash-chain/hash-chain.service.ts';
import { loadScoreboard, type Scoreboard } from '../../decisions/cpi/cpi.service.ts';

type ReviewStatus = 'pending' | 'approved' | 'rejected';

export interface ComplianceReport {
  organizationId: string;
  workspaceId: string | null;
  generatedAt: Date;
  index: Scoreboard;
  oversight: Record<ReviewStatus | 'overdue', number>;
  chain: Awaited<ReturnType<typeof describeStatus>>;
}

/** Each count stops here. */
const COUNTED_MAX = 10_000;

export function createComplianceReportService(platform: Platform) {
  const { models, clock } = platform;
  async function countReviews(
    { organizationId, workspaceId }: Tenant,
    where: object,
  ): Promise<number> {
    const workspaceFilter = workspaceId === null ? {} : { workspaceId };
    return models.traces
      .countDocuments({ organizationId, deletedAt: null, ...workspaceFilter, ...where })
      .limit(COUNTED_MAX)
      .maxTimeMS(READ_MAX_MS);
  }

  async function countOversight(tenant: Tenant): Promise<ComplianceReport['oversight']> {
    const countWithStatus = (status: ReviewStatus) =>
      countReviews(tenant, { 'review.status': status });
    const overdueReviews = {
      'review.status': 'pending',
      'review.slaDeadline': { $lt: clock.now() },
    };
    const [pending, approved, rejected, overdue] = await Promise.all([
      countWithStatus('pending'),
      countWithStatus('approved'),
      countWithStatus('rejected'),
      countReviews(tenant, overdueReviews),
    ]);
    return { pending, approved, rejected, overdue };
  }

  return {
    async report(tenant: Tenant): Promise<ComplianceReport> {
      const { organizationId, workspaceId } = tenant;
      const [index, reviews, status] = await Promise.all([
        loadScoreboard({ platform, tenant }),
        countOversight(tenant),
        describeStatus({ platform, tenant }),
      ]);
      const generatedAt = clock.now();
      return { organizationId, workspaceId, generatedAt, index, oversight: reviews, chain: status };
    },
  };
}
export type ComplianceReportService = ReturnType<typeof createComplianceReportService>;
