// The grants that decisions are judged by: those that stand, of people who still decide.
import type { StandingGrant } from '../../domain/grants/standing-grant.ts';
import { REVIEWERS } from '../../domain/identity/roles.ts';
import { listPresentMembers } from '../../identity/organization/memberships/present-members.service.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StandingGrantDocument } from './grants.model.ts';

const CACHED_ORGANIZATIONS = 2_000;
const NONE: readonly StandingGrant[] = [];

const openStandingCache = perInstance(({ caches }) =>
  caches.openCache<readonly StandingGrant[]>({
    collections: ['standing_grants', 'memberships'],
    max: CACHED_ORGANIZATIONS,
  }),
);

/** Nearly all organisations have none, which is cached as well. */
export async function loadStandingGrants(
  platform: Platform,
  organizationId: string,
): Promise<readonly StandingGrant[]> {
  const found = await openStandingCache(platform).get(organizationId, async () => ({
    organizationId,
    value: await readStanding(platform, organizationId),
  }));
  return found ?? NONE;
}

export function invalidateGrants(platform: Platform, organizationId: string): void {
  openStandingCache(platform).invalidate(organizationId);
}

async function readStanding(
  platform: Platform,
  organizationId: string,
): Promise<readonly StandingGrant[]> {
  const found = await platform.models.standingGrants
    .find({ organizationId, endedAt: null, until: { $gt: platform.clock.now() } })
    .sort({ until: 1, _id: 1 })
    .lean<StandingGrantDocument[]>();
  if (found.length === 0) return NONE;
  const userIds = [...new Set(found.map(({ givenBy }) => givenBy.toHexString()))];
  const present = await listPresentMembers(platform, organizationId, { roles: REVIEWERS, userIds });
  const ids = new Set(present.map(String));
  return found.filter(({ givenBy }) => ids.has(givenBy.toHexString())).map(toStandingGrant);
}

const toStandingGrant = (grant: StandingGrantDocument): StandingGrant => ({
  id: grant._id.toHexString(),
  sequence: grant.sequence,
  agent: grant.agentId.toHexString(),
  workspaceId: grant.workspaceId.toHexString(),
  tool: grant.tool,
  server: grant.server,
  toolDigest: grant.toolDigest,
  when: grant.when,
  policies: grant.policies,
  uses: grant.uses,
  until: grant.until.toISOString(),
});
