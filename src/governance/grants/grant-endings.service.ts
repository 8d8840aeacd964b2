// The timed job that ends grants by itself: used up, past their time, or without what they were given on.
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
      endedAt: null,
      $or: [{ checkedAt: { $lte: before } }, { until: { $lte: now } }],
    })
    .sort({ checkedAt: 1 })
    .limit(LOOKED_AT)
    .setOptions({ crossTenant: true })
    .lean<StandingGrantDocument[]>();
  let ended = 0;
  for (const grant of found) if (await endIfDue(platform, grant, now)) ended += 1;
  return ended;
}

async function endIfDue(
  platform: Platform,
  grant: StandingGrantDocument,
  now: Date,
): Promise<boolean> {
  const organizationId = grant.organizationId.toHexString();
  const end = await findEnd(platform, organizationId, grant);
  if (end) await endGrant(platform, grant, { ...end, actor: SERVICE });
  else
    await platform.models.standingGrants.updateOne(
      { organizationId, _id: grant._id },
      { $set: { checkedAt: now } },
    );
  return end !== null;
}

async function findEnd(
  platform: Platform,
  organizationId: string,
  grant: StandingGrantDocument,
): Promise<Omit<GrantEnd, 'actor'> | null> {
  const { _id, uses, until, givenBy, policies } = grant;
  const used = await countUsed(platform, organizationId, [grant]);
  if ((used.get(_id.toHexString()) ?? 0) >= uses) return { status: 'exhausted' };
  if (until <= platform.clock.now()) return { status: 'expired' };
  const userIds = [givenBy.toHexString()];
  const present = await listPresentMembers(platform, organizationId, { roles: REVIEWERS, userIds });
  if (present.length === 0) return { status: 'revoked', cause: 'membership' };
  const ids = policies.map(({ id }) => id);
  const now = await listGrantablePolicies(platform, organizationId, ids);
  const isChanged = policies.some(({ id, revision }) => now.get(id) !== revision);
  return isChanged ? { status: 'revoked', cause: 'policy' } : null;
}
