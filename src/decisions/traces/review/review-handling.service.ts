// Assigns and escalates review items, which stay pending; neither is part of the chain (document 2, section 4.3).
import type { z } from 'zod';
import { loadTextScrubber } from '../scrubbing/read-scrubbers.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { ReviewAssignment } from '../../../ledger/amend/fold.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../../identity/organization/memberships/memberships.service.ts';
import type { PresentMembers } from '../../../identity/organization/memberships/present-members.service.ts';
import type { NoticeService } from '../../../events/notifications/notices/notices.service.ts';
import type { WorkspaceService } from '../../../identity/organization/workspaces/workspaces.service.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { toItemFilter } from './held.ts';
import { NOTICED_MEMBERS, type NoticedTrace, toHeldAbout } from './notices/review-notice.ts';
import type { escalationInput } from './review.schemas.ts';

interface Deps {
  memberships: MembershipService;
  presentMembers: PresentMembers;
  workspaces: WorkspaceService;
  notices: NoticeService;
}

type HandledTrace = NoticedTrace & { workspaceId: string };

/** Stored where no reason was given, so that a reason that was removed is noticed. */
const NO_REASON = '';

export function createReviewHandlingService(platform: Platform, deps: Deps) {
  const { models, ledger, clock, transaction, signals } = platform;
  const { memberships, presentMembers, workspaces, notices } = deps;

  const isMember = async (organizationId: string, userId: string): Promise<boolean> =>
    (await memberships.findEnterable(organizationId, userId)) !== null;

  async function requireMember({ organizationId }: Tenant, userId: string): Promise<void> {
    if (!(await isMember(organizationId, userId)))
      throw new AppError('NOT_FOUND', 'No active member has this id');
  }

  function findHandled(tenant: Tenant, id: string): Promise<HandledTrace> {
    const { organizationId } = tenant;
    const where = { ...createVisibilityFilter(tenant), organizationId, ...toItemFilter([id]) };
    const members = { ...NOTICED_MEMBERS, workspaceId: 1 };
    return findOr404(models.traces.findOne(where, members).lean<HandledTrace>());
  }

  /** Notifies the person whom the item was given to, unless they did it themselves. */
  async function notifyReceiver(
    { organizationId, actor }: Tenant,
    trace: HandledTrace,
    { event, receiver }: { event: 'review.assigned' | 'review.escalated'; receiver: string },
  ): Promise<void> {
    const audience = { userIds: [receiver], except: [actor.id] };
    const announcement = { organizationId, event, audience, about: [toHeldAbout(trace)] };
    await transaction(() => notices.notify(announcement));
  }

  /** @throws AppError `INVALID_OPERATION` when the item has been decided */
  async function change(
    { organizationId }: Tenant,
    id: string,
    fields: ReviewAssignment,
  ): Promise<void> {
    if (!(await ledger.fold.assignReview(toObjectId(organizationId), toObjectId(id), fields)))
      throw new AppError('INVALID_OPERATION', 'The item has been decided');
    signals.send(organizationId);
  }

  /** The member that the workspace's settings name, if still active; otherwise the longest-standing owner. */
  async function findDefaultReceiver(organizationId: string, workspaceId: string): Promise<string> {
    const named = (await workspaces.loadSettings(organizationId, workspaceId))?.escalateTo ?? null;
    if (named !== null && (await isMember(organizationId, named))) return named;
    const [owner] = await presentMembers.listOwners(organizationId);
    if (!owner) throw new AppError('NOT_FOUND');
    return owner.toHexString();
  }

  return {
    /** `assignedTo`: null removes the assignment. @throws AppError `NOT_FOUND` (item or member), `INVALID_OPERATION` */
    async assign(tenant: Tenant, id: string, assignedTo: string | null): Promise<void> {
      const trace = await findHandled(tenant, id);
      if (assignedTo !== null) await requireMember(tenant, assignedTo);
      const receiver = assignedTo === null ? null : toObjectId(assignedTo);
      await change(tenant, id, { assignedTo: receiver, assignedAt: clock.now() });
      if (assignedTo !== null)
        await notifyReceiver(tenant, trace, { event: 'review.assigned', receiver: assignedTo });
    },

    /** @throws AppError `NOT_FOUND` (item or member), `INVALID_OPERATION` */
    async escalate(
      tenant: Tenant,
      id: string,
      { reason, escalateTo }: z.output<typeof escalationInput>,
    ): Promise<void> {
      const { organizationId } = tenant;
      const trace = await findHandled(tenant, id);
      if (escalateTo !== undefined) await requireMember(tenant, escalateTo);
      const receiver = escalateTo ?? (await findDefaultReceiver(organizationId, trace.workspaceId));
      const scrubber = await loadTextScrubber(platform, organizationId);
      await change(tenant, id, {
        escalatedTo: toObjectId(receiver),
        escalatedAt: clock.now(),
        escalationReason: reason === undefined ? NO_REASON : scrubber.scrubString(reason).text,
      });
      await notifyReceiver(tenant, trace, { event: 'review.escalated', receiver });
    },
  };
}
export type ReviewHandlingService = ReturnType<typeof createReviewHandlingService>;
