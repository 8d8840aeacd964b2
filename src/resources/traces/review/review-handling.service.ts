// Assigns and escalates review items, which stay pending; neither is part of the chain (document 2, section 4.3).
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { ReviewAssignment } from '../../../ledger/amend/fold.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { PRESENT } from '../../../domain/identity/standing.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { WorkspaceService } from '../../organization/workspaces/workspaces.service.ts';
import type { ReadScrubbers } from '../read-scrubbers.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { toItemFilter } from './held.ts';
import type { escalationInput } from './review.schemas.ts';

interface Deps {
  memberships: MembershipService;
  workspaces: WorkspaceService;
  scrubbers: ReadScrubbers;
}

const PRESENT_OWNER = { role: 'owner', ...PRESENT } as const;

export function createReviewHandlingService(
  platform: Pick<Platform, 'models' | 'ledger' | 'clock'>,
  deps: Deps,
) {
  const { models, ledger, clock } = platform;
  const { memberships, workspaces, scrubbers } = deps;

  const isMember = async (organizationId: string, userId: string): Promise<boolean> =>
    (await memberships.findEnterable(organizationId, userId)) !== null;

  async function requireMember({ organizationId }: Tenant, userId: string): Promise<void> {
    if (!(await isMember(organizationId, userId)))
      throw new AppError('NOT_FOUND', 'No active member has this id');
  }

  async function findWorkspaceId(tenant: Tenant, id: string): Promise<string> {
    const { organizationId } = tenant;
    const where = { ...createVisibilityFilter(tenant), organizationId, ...toItemFilter([id]) };
    const query = models.traces.findOne(where, 'workspaceId').lean<{ workspaceId: string }>();
    return (await findOr404(query)).workspaceId;
  }

  /** @throws AppError `INVALID_OPERATION` when the item has been decided */
  async function change(
    { organizationId }: Tenant,
    id: string,
    fields: ReviewAssignment,
  ): Promise<void> {
    if (!(await ledger.fold.assignReview(toObjectId(organizationId), toObjectId(id), fields)))
      throw new AppError('INVALID_OPERATION', 'The item has been decided');
  }

  /** The member that the workspace's settings name, if still active; otherwise the longest-standing owner. */
  async function findDefaultReceiver(organizationId: string, workspaceId: string): Promise<string> {
    const named = (await workspaces.loadSettings(organizationId, workspaceId))?.escalateTo ?? null;
    if (named !== null && (await isMember(organizationId, named))) return named;
    const owner = await models.memberships
      .findOne({ organizationId, ...PRESENT_OWNER }, 'userId')
      .sort({ createdAt: 1, _id: 1 })
      .lean<{ userId: Types.ObjectId }>();
    return (await findOr404(Promise.resolve(owner))).userId.toHexString();
  }

  return {
    /** `assignedTo`: null removes the assignment. @throws AppError `NOT_FOUND` (item or member), `INVALID_OPERATION` */
    async assign(tenant: Tenant, id: string, assignedTo: string | null): Promise<void> {
      await findWorkspaceId(tenant, id);
      if (assignedTo !== null) await requireMember(tenant, assignedTo);
      const receiver = assignedTo === null ? null : toObjectId(assignedTo);
      await change(tenant, id, { assignedTo: receiver, assignedAt: clock.now() });
    },

    /** @throws AppError `NOT_FOUND` (item or member), `INVALID_OPERATION` */
    async escalate(
      tenant: Tenant,
      id: string,
      { reason, escalateTo }: z.output<typeof escalationInput>,
    ): Promise<void> {
      const { organizationId } = tenant;
      const workspaceId = await findWorkspaceId(tenant, id);
      if (escalateTo !== undefined) await requireMember(tenant, escalateTo);
      const receiver = escalateTo ?? (await findDefaultReceiver(organizationId, workspaceId));
      const scrubber = await scrubbers.loadTextScrubber(organizationId);
      await change(tenant, id, {
        escalatedTo: toObjectId(receiver),
        escalatedAt: clock.now(),
        escalationReason: reason === undefined ? null : scrubber.scrubString(reason).text,
      });
    },
  };
}
export type ReviewHandlingService = ReturnType<typeof createReviewHandlingService>;
