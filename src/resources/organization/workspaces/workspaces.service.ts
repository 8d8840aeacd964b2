// Workspaces of an organisation (document 1, section 1: selected by `x-workspace-id`).
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import { findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import type { WorkspaceDocument } from './workspaces.model.ts';

interface WorkspaceView extends WorkspaceDocument {
  /** The one that decisions go to when none is chosen. */
  isDefault: boolean;
}

const CACHED_WORKSPACES = 10_000;
const ID = /^[0-9a-f]{24}$/;

export function createWorkspaceService({ models, caches }: Pick<Platform, 'models' | 'caches'>) {
  const known = caches.open<true>({ collections: ['workspaces'], max: CACHED_WORKSPACES });
  return {
    /** The id when it is a workspace of the organisation, else null. */
    async find(organizationId: string, workspaceId: string): Promise<string | null> {
      if (!ID.test(workspaceId)) return null;
      const exists = await known.get(`${organizationId}/${workspaceId}`, async () =>
        (await models.workspaces.exists({ _id: workspaceId, organizationId }))
          ? { organizationId, value: true }
          : null,
      );
      return exists ? workspaceId : null;
    },

    async list({ organizationId, defaultWorkspaceId }: Tenant): Promise<WorkspaceView[]> {
      const found = await models.workspaces
        .find({ organizationId })
        .sort({ createdAt: -1, _id: -1 })
        .lean<WorkspaceDocument[]>();
      return found.map((workspace) => toView(workspace, defaultWorkspaceId));
    },

    /** @throws AppError `ALREADY_EXISTS` when the name is taken */
    async create({ organizationId }: Tenant, { name }: { name: string }): Promise<WorkspaceView> {
      await requireFreeName(models, { organizationId, name });
      return toView(await insertOne(models.workspaces, { organizationId, name }), null);
    },

    /** @throws AppError `NOT_FOUND`, `ALREADY_EXISTS` */
    async rename(
      { organizationId, defaultWorkspaceId }: Tenant,
      id: string,
      { name }: { name: string },
    ): Promise<WorkspaceView> {
      await requireFreeName(models, { organizationId, name, _id: { $ne: id } });
      const renamed = await findOr404(
        models.workspaces
          .findOneAndUpdate({ _id: id, organizationId }, { name }, { returnDocument: 'after' })
          .lean<WorkspaceDocument>(),
      );
      return toView(renamed, defaultWorkspaceId);
    },
  };
}
export type WorkspaceService = ReturnType<typeof createWorkspaceService>;

function toView(workspace: WorkspaceDocument, defaultId: string | null): WorkspaceView {
  return { ...workspace, isDefault: workspace._id.toHexString() === defaultId };
}

async function requireFreeName(
  models: Models,
  where: { organizationId: string; name: string; _id?: { $ne: string } },
): Promise<void> {
  if (await models.workspaces.exists(where))
    throw new AppError('ALREADY_EXISTS', 'A workspace of this name exists');
}
