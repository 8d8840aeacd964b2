// The patterns of an organisation's held decisions, and how mature they are.
import type { Platform } from '../../../platform/platform.ts';
import { isMature } from '../../../domain/automatic-approval.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { Page } from '../../../domain/page.ts';
import { type Listed, listPage } from '../../../platform/mongo/queries.ts';
import { loadAutoApprovals } from './auto-approvals.ts';
import type { PatternView } from './patterns.schemas.ts';

const NEWEST_FIRST = { lastVerdictAt: -1, _id: -1 } as const;

export function createPatternService({ models, clock }: Pick<Platform, 'models' | 'clock'>) {
  return {
    async listPatterns(
      { organizationId, workspaceId }: Tenant,
      page: Page,
    ): Promise<Listed<PatternView>> {
      const where = { organizationId, ...(workspaceId !== null && { workspaceId }) };
      const listing = { skip: page.skip, limit: page.limit, sort: NEWEST_FIRST };
      const { items, total } = await listPage(models.decisionPatterns, where, listing);
      const settings = await loadAutoApprovals(models, organizationId);
      const now = clock.now();
      const views = items.map((pattern): PatternView => {
        const setting = settings.get(pattern.workspaceId);
        const isAutoApproved = setting !== undefined && isMature(pattern, setting, now);
        return { ...pattern, since: pattern.since ?? null, isAutoApproved };
      });
      return { items: views, total };
    },
  };
}
export type PatternService = ReturnType<typeof createPatternService>;
