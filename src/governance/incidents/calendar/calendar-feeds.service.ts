// Mints and revokes calendar feed tokens, and authenticates callers by them (document 3, section 4.2: an addition).
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../../identity/organization/memberships/memberships.service.ts';
import type { OrganizationService } from '../../../identity/organization/organization.service.ts';
import type { CalendarFeedDocument } from './calendar-feeds.model.ts';
import type { MintedFeed } from './calendar.schemas.ts';

interface Deps {
  memberships: MembershipService;
  organizations: OrganizationService;
}

const TOKEN = /^cal_[0-9a-f]{48}$/;
const TOKEN_BYTES = 24;

export function createCalendarFeedService(
  platform: Pick<Platform, 'models' | 'clock' | 'generateHex' | 'publicUrl'>,
  deps: Deps,
) {
  const { models, clock, generateHex: randomHex, publicUrl } = platform;
  const { memberships, organizations } = deps;

  async function findFeed(token: string): Promise<CalendarFeedDocument> {
    const feed = TOKEN.test(token)
      ? await models.calendarFeeds
          .findOne({ tokenHash: hashKey(token) }, null, { crossTenant: true })
          .lean<CalendarFeedDocument>()
      : null;
    if (!feed) throw new AppError('TOKEN_REVOKED', 'The feed token is unknown or was revoked');
    return feed;
  }

  return {
    /** Replaces the member's token in this organisation; the old one is void at once. */
    async mintToken(
      { organizationId, workspaceId }: Tenant,
      { userId }: User,
    ): Promise<MintedFeed> {
      const token = `cal_${randomHex(TOKEN_BYTES)}`;
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
    },

    async revoke({ organizationId }: Tenant, { userId }: User): Promise<{ revoked: boolean }> {
      const { deletedCount } = await models.calendarFeeds.deleteMany({ organizationId, userId });
      return { revoked: deletedCount > 0 };
    },

    /**
     * Returns the member in their current role.
     * @throws AppError `TOKEN_REVOKED`, also when they have left; `ACCOUNT_DEACTIVATED`
     */
    async authenticate(token: string): Promise<Caller> {
      const feed = await findFeed(token);
      const organizationId = feed.organizationId.toHexString();
      const userId = feed.userId.toHexString();
      const membership = await memberships.findMembership(organizationId, userId);
      if (!membership || membership.createdAt > feed.createdAt)
        throw new AppError('TOKEN_REVOKED', 'The membership has ended');
      if (!membership.isActive) throw new AppError('ACCOUNT_DEACTIVATED');
      const { plan, defaultWorkspaceId } = await organizations.getContext(organizationId);
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
    },
  };
}
export type CalendarFeedService = ReturnType<typeof createCalendarFeedService>;
