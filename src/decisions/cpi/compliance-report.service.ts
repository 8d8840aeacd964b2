// The compliance report: the index, the reviews and the chain of an organisation on one page.
import type { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { getTraceNeighbours } from '../traces/neighbours.service.ts';
import type { complianceReportView } from './cpi.schemas.ts';
import { loadScoreboard } from './cpi.service.ts';

type ComplianceReport = z.input<typeof complianceReportView>;

/** Each count stops here. */
const COUNTED_MAX = 10_000;

export async function reportCompliance(ctx: Context): Promise<ComplianceReport> {
  const { platform, tenant } = ctx;
  const { organizationId, workspaceId } = tenant;
  const [index, oversight, chain] = await Promise.all([
    loadScoreboard(ctx),
    countOversight(ctx),
    getTraceNeighbours(platform).describeChain(organizationId),
  ]);
  const generatedAt = platform.clock.now();
  return { organizationId, workspaceId, generatedAt, index, oversight, chain };
}

async function countOversight(ctx: Context): Promise<ComplianceReport['oversight']> {
  const late = { 'review.slaDeadline': { $lt: ctx.platform.clock.now() } };
  const [pending, approved, rejected, overdue] = await Promise.all([
    countReviews(ctx, { 'review.status': 'pending' }),
    countReviews(ctx, { 'review.status': 'approved' }),
    countReviews(ctx, { 'review.status': 'rejected' }),
    countReviews(ctx, { 'review.status': 'pending', ...late }),
  ]);
  return { pending, approved, rejected, overdue };
}

async function countReviews({ platform, tenant }: Context, where: object): Promise<number> {
  const { organizationId, workspaceId } = tenant;
  const workspaceFilter = workspaceId === null ? {} : { workspaceId };
  return platform.models.traces
    .countDocuments({ organizationId, deletedAt: null, ...workspaceFilter, ...where })
    .limit(COUNTED_MAX)
    .maxTimeMS(READ_MAX_MS);
}
