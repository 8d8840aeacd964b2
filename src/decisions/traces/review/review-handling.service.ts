// Assigns and escalates review items, which stay pending; neither is part of the chain (document 2, section 4.3).
import { listOwners } from '../../../identity/organization/memberships/present-members.service.ts';
import { loadWorkspaceSettings } from '../../../identity/organization/workspaces/workspaces.service.ts';
import { findEnterableMembership } from '../../../identity/organization/memberships/memberships.service.ts';
import type { z } from 'zod';
import type { Context } from '../../../platform/context.ts';
import { loadTextScrubber } from '../scrubbing/read-scrubbers.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { ReviewAssignment } from '../../../ledger/amend/fold.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { toItemFilter } from './held.ts';
import { toAskedState } from './approvals/approvals.view.ts';
import { loadAskedReviews } from './notices/review-announcements.service.ts';
import { NOTICED_MEMBERS, type NoticedTrace, toHeldAbout } from './notices/review-notice.ts';
import type { escalationInput } from './review.schemas.ts';
import { notify } from '../../../events/notifications/notices/notices.service.ts';

type HandledTrace = NoticedTrace & { workspaceId: string };

/** Stored where no reason was given, so that a reason that was removed is noticed. */
const NO_REASON = '';

/** `assignedTo`: null removes the assignment. @throws AppError `NOT_FOUND` (item or member), `INVALID_OPERATION` */
export async function assignReview(
  ctx: Context,
  id: string,
  assignedTo: string | null,
): Promise<void> {
  const trace = await findHandled(ctx, id);
  if (assignedTo !== null) await requireMember(ctx, assignedTo);
  const receiver = assignedTo === null ? null : toObjectId(assignedTo);
  await changeReview(ctx, id, { assignedTo: receiver, assignedAt: ctx.platform.clock.now() });
  if (assignedTo !== null)
    await notifyReceiver(ctx, trace, { event: 'review.assigned', receiver: assignedTo });
}

/** @throws AppError `NOT_FOUND` (item or member), `INVALID_OPERATION` */
export async function escalateReview(
  ctx: Context,
  id: string,
  { reason, escalateTo }: z.output<typeof escalationInput>,
): Promise<void> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const trace = await findHandled(ctx, id);
  if (escalateTo !== undefined) await requireMember(ctx, escalateTo);
  const receiver =
    escalateTo ?? (await findDefaultReceiver(platform, organizationId, trace.workspaceId));
  const scrubber = await loadTextScrubber(platform, organizationId);
  await changeReview(ctx, id, {
    escalatedTo: toObjectId(receiver),
    escalatedAt: platform.clock.now(),
    escalationReason: reason === undefined ? NO_REASON : scrubber.scrubString(reason).text,
  });
  await notifyReceiver(ctx, trace, { event: 'review.escalated', receiver });
}

const isMember = async (
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<boolean> => (await findEnterableMembership(platform, organizationId, userId)) !== null;

async function requireMember(
  { platform, tenant: { organizationId } }: Context,
  userId: string,
): Promise<void> {
  if (!(await isMember(platform, organizationId, userId)))
    throw new AppError('NOT_FOUND', 'No active member has this id');
}

function findHandled({ platform, tenant }: Context, id: string): Promise<HandledTrace> {
  const { organizationId } = tenant;
  const where = { ...createVisibilityFilter(tenant), organizationId, ...toItemFilter([id]) };
  const members = { ...NOTICED_MEMBERS, workspaceId: 1 };
  return findOr404(platform.models.traces.findOne(where, members).lean<HandledTrace>());
}

/** Notifies the person whom the item was given to, unless they did it themselves. */
async function notifyReceiver(
  { platform, tenant: { organizationId, actor } }: Context,
  trace: HandledTrace,
  { event, receiver }: { event: 'review.assigned' | 'review.escalated'; receiver: string },
): Promise<void> {
  const audience = { userIds: [receiver], except: [actor.id] };
  const traceIds = trace.review?.approvals ? [trace.traceId] : [];
  const [asked] = (await loadAskedReviews(platform, organizationId, traceIds)).values();
  const about = [toHeldAbout(trace, asked ? toAskedState(asked, 'pending') : null)];
  const announcement = { organizationId, event, audience, about };
  await platform.transaction(() => notify(platform, announcement));
}

/** @throws AppError `INVALID_OPERATION` when the item has been decided */
async function changeReview(
  { platform, tenant: { organizationId } }: Context,
  id: string,
  fields: ReviewAssignment,
): Promise<void> {
  const { ledger, signals } = platform;
  if (!(await ledger.fold.assignReview(toObjectId(organizationId), toObjectId(id), fields)))
    throw new AppError('INVALID_OPERATION', 'The item has been decided');
  signals.send(organizationId);
}

/** The member that the workspace's settings name, if still active; otherwise the longest-standing owner. */
async function findDefaultReceiver(
  platform: Platform,
  organizationId: string,
  workspaceId: string,
): Promise<string> {
  const named =
    (await loadWorkspaceSettings(platform, organizationId, workspaceId))?.escalateTo ?? null;
  if (named !== null && (await isMember(platform, organizationId, named))) return named;
  const [owner] = await listOwners(platform, organizationId);
  if (!owner) throw new AppError('NOT_FOUND');
  return owner.toHexString();
}
