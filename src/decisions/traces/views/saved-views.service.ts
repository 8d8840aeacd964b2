// Lists, makes and removes saved views: a member's own, and those that managers share with a workspace.
import { lockOrganization } from '../../../identity/organization/memberships/memberships.service.ts';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';

import type { UserContext } from '../../../platform/context.ts';
import {
  type DeletedView,
  findOr404,
  insertOne,
  requireFewer,
  toDeletedView,
} from '../../../platform/mongo/queries.ts';
import type { SavedViewDocument } from './saved-views.model.ts';
import { type SavedView, type SavedViewInput, VIEWS_MAX } from './saved-views.schemas.ts';

/** The own views, and those of the chosen workspace or of all; by name. */
export async function listSavedViews({
  platform,
  tenant,
  user,
}: UserContext): Promise<SavedView[]> {
  const { organizationId, workspaceId } = tenant;
  const shared = workspaceId === null ? { shared: true } : { ownerId: workspaceId };
  const found = await platform.models.savedViews
    .find({ organizationId, $or: [{ ownerId: user.userId }, shared] })
    .sort({ name: 1, _id: 1 })
    .lean<SavedViewDocument[]>();
  return found.map(toView);
}

/** @throws AppError `FORBIDDEN`, `ALREADY_EXISTS`, `INVALID_OPERATION` past the number of views */
export async function createSavedView(
  ctx: UserContext,
  { name, query, shared }: SavedViewInput,
): Promise<SavedView> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  if (shared) requireManager(ctx);
  const ownerId = shared ? (tenant.workspaceId ?? tenant.defaultWorkspaceId) : user.userId;
  await lockOrganization(platform, organizationId);
  const { savedViews } = platform.models;
  if (await savedViews.exists({ organizationId, ownerId, name }))
    throw new AppError('ALREADY_EXISTS', 'A view of this name exists');
  const message = `At most ${VIEWS_MAX} views, remove one first`;
  await requireFewer(savedViews.countDocuments({ organizationId, ownerId }), VIEWS_MAX, message);
  const createdBy = user.userId;
  return toView(
    await insertOne(savedViews, { organizationId, ownerId, shared, name, query, createdBy }),
  );
}

/** Removes an own view, or a shared one as a manager. @throws AppError `NOT_FOUND`, `FORBIDDEN` */
export async function removeSavedView(
  ctx: UserContext,
  _id: string,
): Promise<DeletedView<SavedViewDocument['_id']>> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  const where = { _id, organizationId, $or: [{ ownerId: user.userId }, { shared: true }] };
  const found = await findOr404(
    platform.models.savedViews.findOne(where).lean<SavedViewDocument>(),
  );
  if (found.shared) requireManager(ctx);
  await platform.models.savedViews.deleteOne({ _id, organizationId });
  return toDeletedView(found);
}

/** @throws AppError `FORBIDDEN` */
function requireManager({ user: { role } }: UserContext): void {
  if (!MANAGERS.includes(role))
    throw new AppError('FORBIDDEN', 'Owners and admins share views; save it for yourself instead');
}

const toView = ({
  _id,
  name,
  query,
  shared,
  ownerId,
  createdBy,
  createdAt,
}: SavedViewDocument) => ({
  _id,
  name,
  query,
  shared,
  workspaceId: shared ? ownerId : null,
  createdBy,
  createdAt,
});
