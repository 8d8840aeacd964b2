// Mints and revokes calendar feed tokens, and authenticates callers by them (document 3, section 4.2: an addition).
import type { UserContext } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { findMembership } from '../../../identity/organization/memberships/memberships.service.ts';
import { getOrganizationContext } from '../../../identity/organization/organization.service.ts';
import type { CalendarFeedDocument } from './calendar-feeds.model.ts';
import type { MintedFeed } from './calendar.schemas.ts';

const TOKEN = /^cal_[0-9a-f]{48}$/;
const TOKEN_BYTES = 24;

/** Replaces the member's token in this organisation; the old one is void at once. */
export async function mintFeedToken({
  platform: { models, clock, generateHex, publicUrl },
  tenant: { organizationId, workspaceId },
  user: { userId },
}: UserContext): Promise<MintedFeed> {
  const token = `cal_${generateHex(TOKEN_BYTES)}`;
  await models.calendarFeeds.deleteMany({ organizationId, userId });
  const { _id, createdAt } = await insertOne(models.calendarFeeds, {
    organizationId,
    userId,
    workspaceId,
    tokenHash: hashKey(token),
    createdAt: clock.now(),
  });
  const url = `${publicUrl}/api/v1/incidents/calendar.ics?token=${token}`;
  return { _id, createdAt, token, url };
}

export async function revokeFeedToken({
  platform: { models },
  tenant: { organizationId },
  user: { userId },
}: UserContext): Promise<{ revoked: boolean }> {
  const { deletedCount } = await models.calendarFeeds.deleteMany({ organizationId, userId });
  return { revoked: deletedCount > 0 };
}

/**
 * Returns the member in their current role.
 * @throws AppError `TOKEN_REVOKED`, also when they have left; `ACCOUNT_DEACTIVATED`
 */
export async function authenticateFeed(platform: Platform, token: string): Promise<Caller> {
  const feed = await findFeed(platform, token);
  const organizationId = feed.organizationId.toHexString();
  const userId = feed.userId.toHexString();
  const membership = await findMembership(platform, organizationId, userId);
  if (!membership || membership.createdAt > feed.createdAt)
    throw new AppError('TOKEN_REVOKED', 'The membership has ended');
  if (!membership.isActive) throw new AppError('ACCOUNT_DEACTIVATED');
  const { plan, defaultWorkspaceId } = await getOrganizationContext(platform, organizationId);
  return {
    role: membership.role,
    tenant: {
      organizationId,
      workspaceId: feed.workspaceId?.toHexString() ?? null,
      defaultWorkspaceId,
      plan,
      actor: { kind: 'user', id: userId },
      agentIds: null,
    },
  };
}

async function findFeed({ models }: Platform, token: string): Promise<CalendarFeedDocument> {
  const feed = TOKEN.test(token)
    ? await models.calendarFeeds
        .findOne({ tokenHash: hashKey(token) }, null, { crossTenant: true })
        .lean<CalendarFeedDocument>()
    : null;
  if (!feed) throw new AppError('TOKEN_REVOKED', 'The feed token is unknown or was revoked');
  return feed;
}
