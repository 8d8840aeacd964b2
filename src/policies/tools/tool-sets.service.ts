// Compiles and caches the catalogue that a decision is judged by, and resolves its digests.
import { type ToolCatalogue, compileCatalogue, type Tool } from '@assay/policy';
import type { Context } from '../../platform/context.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import type { DecisionWorkspaces } from '../policy-sets.service.ts';
import { groupBy } from '../../domain/group-by.ts';
import { toTools } from '../../domain/policies/tool-entries.ts';
import type { ToolSetView } from './tools.schemas.ts';
import type { ListedToolDocument, ToolSetDocument } from './tools.model.ts';

interface CatalogueScope {
  organizationId: string;
  workspaces: DecisionWorkspaces;
}

/** Catalogues stay compiled by the workspaces whose tools they hold. */
const CACHED_CATALOGUES = 500;

const openCache = perInstance(({ caches }) =>
  caches.openCache<{ catalogue: ToolCatalogue | null }>({
    collections: ['tools'],
    max: CACHED_CATALOGUES,
  }),
);

/** The catalogue of a decision, each workspace a list; null: they list no tool. Its digest is stored before this resolves. */
export async function loadCatalogue(
  platform: Platform,
  { organizationId, workspaces }: CatalogueScope,
): Promise<ToolCatalogue | null> {
  const ids = typeof workspaces === 'string' ? [workspaces] : workspaces;
  const found = await openCache(platform).get(`${organizationId}/${ids.join('+')}`, async () => ({
    organizationId,
    value: { catalogue: await buildCatalogue(platform, organizationId, ids) },
  }));
  return found?.catalogue ?? null;
}

export function invalidateCatalogues(platform: Platform, organizationId: string): void {
  openCache(platform).invalidate(organizationId);
}

/** The tools of each workspace that lists some; the order depends on the tools and the workspaces alone. */
async function loadLists(
  { models }: Platform,
  organizationId: string,
  workspaceIds: readonly string[],
): Promise<Tool[][]> {
  const stored = await models.listedTools
    .find({ organizationId, workspaceId: { $in: workspaceIds } }, 'workspaceId name entries')
    .sort({ workspaceId: 1, key: 1 })
    .lean<Pick<ListedToolDocument, 'workspaceId' | 'name' | 'entries'>[]>();
  const byWorkspace = groupBy(stored, ({ workspaceId }) => workspaceId.toHexString());
  return [...byWorkspace.values()].map((listed) => listed.flatMap(toTools));
}

async function buildCatalogue(
  platform: Platform,
  organizationId: string,
  workspaceIds: readonly string[],
): Promise<ToolCatalogue | null> {
  const lists = await loadLists(platform, organizationId, workspaceIds);
  if (lists.length === 0) return null;
  const catalogue = compileCatalogue(lists);
  const { digest } = catalogue;
  await platform.models.toolSets.updateOne(
    { organizationId, digest },
    { $setOnInsert: { lists: JSON.stringify(lists) } },
    { upsert: true },
  );
  return catalogue;
}

/** The tools behind a digest that some decision names. @throws AppError `NOT_FOUND` */
export async function resolveToolSet(
  { platform, tenant: { organizationId } }: Context,
  digest: string,
): Promise<ToolSetView> {
  const { lists, createdAt } = await findOr404(
    platform.models.toolSets.findOne({ organizationId, digest }).lean<ToolSetDocument>(),
  );
  const tools = JSON.parse(lists) as Tool[][];
  return { digest, lists: tools.map((list) => list.map(splitName)), createdAt };
}

const splitName = ({ name, ...entry }: Tool) => ({ name, entry });
