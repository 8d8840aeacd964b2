// Workspaces of an organisation (document 1, section 1: selected by `x-workspace-id`).
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import type { WorkspaceDocument } from './workspaces.model.ts';

type Deps = Pick<Platform, 'models' | 'caches'> & {};

const CACHED_WORKSPACES = 10_000;
const ID = /^[0-9a-f]{24}$/;

export function createWorkspaceService({ models, caches }: Deps) {
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

    async list({ organizationId, defaultWorkspaceId }: Tenant) {
      const found = await models.workspaces
        .find({ organizationId })
        .sort({ createdAt: -1, _id: -1 })
        .lean<WorkspaceDocument[]>();
      return found.map((workspace) => ({
        ...workspace,
        isDefault: workspace._id.toHexString() === defaultWorkspaceId,
      }));
    },

    /** @throws AppError `ALREADY_EXISTS` when the name is taken */
    async create({ organizationId }: Tenant, { name }: { name: string }) {
      await refuseTaken(models, { organizationId, name });
      const [made] = await models.workspaces.create([{ organizationId, name }]);
      if (!made) throw new AppError('INTERNAL_ERROR');
      return { ...made.toObject(), isDefault: false };
    },

    /** @throws AppError `NOT_FOUND`, `ALREADY_EXISTS` */
    async rename(
      { organizationId, defaultWorkspaceId }: Tenant,
      id: string,
      { name }: { name: string },
    ) {
      await refuseTaken(models, { organizationId, name, _id: { $ne: id } });
      const renamed = await models.workspaces
        .findOneAndUpdate(
          { _id: id, organizationId },
          { $set: { name } },
          { returnDocument: 'after' },
        )
        .lean<WorkspaceDocument>();
      if (!renamed) throw new AppError('NOT_FOUND');
      return { ...renamed, isDefault: id === defaultWorkspaceId };
    },
  };
}
export type WorkspaceService = ReturnType<typeof createWorkspaceService>;

async function refuseTaken(
  models: Models,
  where: { organizationId: string; name: string; _id?: { $ne: string } },
): Promise<void> {
  if (await models.workspaces.exists(where))
    throw new AppError('ALREADY_EXISTS', 'A workspace of this name exists');
}
