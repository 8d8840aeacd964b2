// The patterns of an organisation's held decisions, and how mature they are.
import type { Context } from '../../../platform/context.ts';
import { isMature } from '../../../domain/automatic-approval.ts';
import type { Page } from '../../../domain/page.ts';
import { type Listed, listPage } from '../../../platform/mongo/queries.ts';
import { loadAutoApprovals } from './auto-approvals.ts';
import type { PatternView } from './patterns.schemas.ts';

const NEWEST_FIRST = { lastVerdictAt: -1, _id: -1 } as const;

export async function listPatterns(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  page: Page,
): Promise<Listed<PatternView>> {
  const where = { organizationId, ...(workspaceId !== null && { workspaceId }) };
  const listing = { skip: page.skip, limit: page.limit, sort: NEWEST_FIRST };
  const { items, total } = await listPage(platform.models.decisionPatterns, where, listing);
  const settings = await loadAutoApprovals(platform.models, organizationId);
  const now = platform.clock.now();
  const views = items.map((pattern): PatternView => {
    const setting = settings.get(pattern.workspaceId);
    const isAutoApproved = setting !== undefined && isMature(pattern, setting, now);
    return { ...pattern, since: pattern.since ?? null, isAutoApproved };
  });
  return { items: views, total };
}
