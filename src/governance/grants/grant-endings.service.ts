// The timed job that ends grants by itself: used up, past their time, or without what they were given on.
import { groupBy } from '../../domain/group-by.ts';
import { REVIEWERS } from '../../domain/identity/roles.ts';
import { listPresentMembers } from '../../identity/organization/memberships/present-members.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { listGrantablePolicies } from '../../policies/grantable-policies.service.ts';
import { countUsed, endGrant, type GrantEnd } from './grant-entries.service.ts';
import type { StandingGrantDocument } from './grants.model.ts';

/** Grants that one run looks at; the next run goes on with others. */
const LOOKED_AT = 200;
/** A grant is looked at again after this time, but at its end at once. */
const AGAIN_MS = 2_000;
const SERVICE = { kind: 'system', id: null } as const;

/** Ends what has to end. Resolves with the number of grants that it ended. */
export async function endDueGrants(platform: Platform): Promise<number> {
  const now = platform.clock.now();
  const before = new Date(now.getTime() - AGAIN_MS);
  const found = await platform.models.standingGrants
    .find({
      status: 'granted',
      $or: [{ checkedAt: { $lte: before } }, { until: { $lte: now } }],
    })
    .sort({ checkedAt: 1 })
    .limit(LOOKED_AT)
    .setOptions({ crossTenant: true })
    .lean<StandingGrantDocument[]>();
  let ended = 0;
  for (const grants of groupBy(found, ({ organizationId }) => String(organizationId)).values())
    ended += await endOfOrganization(platform, grants, now);
  return ended;
}

async function endOfOrganization(
  platform: Platform,
  grants: readonly StandingGrantDocument[],
  now: Date,
): Promise<number> {
  const organizationId = String(grants[0]?.organizationId);
  const grounds = await loadGrounds(platform, organizationId, grants);
  const kept: StandingGrantDocument['_id'][] = [];
  for (const grant of grants) {
    const end = findEnd(grant, grounds, now);
    if (end) await endGrant(platform, grant, { ...end, actor: SERVICE });
    else kept.push(grant._id);
  }
  const where = { organizationId, _id: { $in: kept } };
  await platform.models.standingGrants.updateMany(where, { $set: { checkedAt: now } });
  return grants.length - kept.length;
}

/** What grants stand on: uses that are left, people who still decide, and policies as they were. */
interface Grounds {
  used: ReadonlyMap<string, number>;
  present: ReadonlySet<string>;
  /** Revisions by policy. */
  grantable: ReadonlyMap<string, number>;
}

async function loadGrounds(
  platform: Platform,
  organizationId: string,
  grants: readonly StandingGrantDocument[],
): Promise<Grounds> {
  const userIds = [...new Set(grants.map(({ givenBy }) => givenBy.toHexString()))];
  const policyIds = [...new Set(grants.flatMap(({ policies }) => policies.map(({ id }) => id)))];
  const [used, present, grantable] = await Promise.all([
    countUsed(platform, organizationId, grants),
    listPresentMembers(platform, organizationId, { roles: REVIEWERS, userIds }),
    listGrantablePolicies(platform, organizationId, policyIds),
  ]);
  return { used, present: new Set(present.map(String)), grantable };
}

function findEnd(
  { _id, uses, until, givenBy, policies }: StandingGrantDocument,
  { used, present, grantable }: Grounds,
  now: Date,
): Omit<GrantEnd, 'actor'> | null {
  if ((used.get(_id.toHexString()) ?? 0) >= uses) return { status: 'exhausted' };
  if (until <= now) return { status: 'expired' };
  if (!present.has(givenBy.toHexString())) return { status: 'revoked', cause: 'membership' };
  const isChanged = policies.some(({ id, revision }) => grantable.get(id) !== revision);
  return isChanged ? { status: 'revoked', cause: 'policy' } : null;
}
