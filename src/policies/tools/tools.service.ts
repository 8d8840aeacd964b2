// The catalogue of tools of a workspace: what operators declare of each, by approval where four eyes judge by it.
import type { z } from 'zod';
import { toLiteralPattern } from '@assay/patterns';
import { checkToolName, findCatalogueProblem, toSnakeCase, type ToolEntry } from '@assay/policy';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { AFTER, findOr404, type Listed, listPage } from '../../platform/mongo/queries.ts';
import { resolveWorkspace } from '../policies.service.ts';
import { requireDirectToolChange } from './tool-use.service.ts';
import { parseEntries, serializeEntries, toTools } from '../../domain/policies/tool-entries.ts';
import { invalidateCatalogues } from './tool-sets.service.ts';
import type { ListedToolDocument } from './tools.model.ts';
import type { toolInput, toolQuery, ToolView } from './tools.schemas.ts';

/** What becomes of the tool of a name; without entries it is removed. */
export interface ToolPatch {
  name: string;
  /** Absent: it stays. */
  description?: string | undefined;
  entries: readonly ToolEntry[] | null;
}

/** Those of the organisation, or of the chosen workspace, by name. */
export async function listTools(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  { server, search }: z.output<typeof toolQuery>,
  page: Page,
): Promise<Listed<ToolView>> {
  const where = {
    organizationId,
    ...(workspaceId !== null && { workspaceId }),
    ...(server !== undefined && { servers: server }),
    ...(search !== undefined && { name: toLiteralPattern(search) }),
  };
  const order = { ...page, sort: { key: 1, workspaceId: 1 } as const };
  const { items, total } = await listPage(platform.models.listedTools, where, order);
  return { items: items.map(toView), total };
}

/** Names that catalogues list, as `action.names` writes them. */
export function listToolKeys({
  platform,
  tenant: { organizationId, workspaceId },
}: Context): Promise<string[]> {
  const where = { organizationId, ...(workspaceId !== null && { workspaceId }) };
  return platform.models.listedTools.distinct('key', where);
}

/**
 * Lists a tool, or replaces what is listed under its name.
 * @throws AppError `VALIDATION_ERROR` for a bad name, `INVALID_OPERATION` beyond the limits, or where it needs an approval
 */
export async function putTool(
  ctx: Context,
  name: string,
  input: z.output<typeof toolInput>,
): Promise<ToolView> {
  const workspaceId = await resolveWorkspace(ctx, undefined);
  await changeTools(ctx, workspaceId, [{ name, ...input }]);
  return toView(await findTool(ctx, workspaceId, name));
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` where it needs an approval */
export async function removeTool(
  ctx: Context,
  name: string,
): Promise<{ name: string; deleted: true }> {
  const workspaceId = await resolveWorkspace(ctx, undefined);
  const found = await findTool(ctx, workspaceId, name);
  await changeTools(ctx, workspaceId, [{ name, entries: null }]);
  return { name: found.name, deleted: true };
}

/**
 * Changes tools of a workspace together.
 * @throws AppError `VALIDATION_ERROR` for a bad name, `INVALID_OPERATION` beyond the limits, or where it needs an approval
 */
export async function changeTools(
  ctx: Context,
  workspaceId: string,
  patches: readonly ToolPatch[],
): Promise<void> {
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  const listed = await findTools(ctx, workspaceId);
  const changing = patches.filter((patch) => !isListedAs(listed, patch));
  await requireDirectToolChange(
    ctx,
    changing.map(({ name }) => name),
  );
  await writeTools(ctx, workspaceId, { patches, listed });
}

/** What a workspace lists, by key. */
export type ListedTools = ReadonlyMap<string, ListedToolDocument>;

/** Whether a tool has these entries; null: whether it is not listed. */
export function isListedAs(
  listed: ListedTools,
  { name, entries }: Pick<ToolPatch, 'name' | 'entries'>,
): boolean {
  const known = listed.get(requireToolName(name))?.entries ?? null;
  return known === (entries && serializeEntries(entries));
}

/**
 * Writes under the lock of the organisation. `listed`: what the workspace lists under it.
 * @throws AppError `INVALID_OPERATION` beyond the limits
 */
export async function writeTools(
  ctx: Context,
  workspaceId: string,
  { patches, listed }: { patches: readonly ToolPatch[]; listed: ListedTools },
): Promise<void> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  requireRoom(listed, patches);
  for (const patch of patches) await writeTool(ctx, workspaceId, patch);
  platform.onCommit(() => invalidateCatalogues(platform, organizationId));
}

async function writeTool(
  { platform: { models }, tenant: { organizationId, actor } }: Context,
  workspaceId: string,
  { name, description, entries }: ToolPatch,
): Promise<void> {
  const where = { organizationId, workspaceId, key: requireToolName(name) };
  if (!entries) {
    await models.listedTools.deleteOne(where);
    return;
  }
  const servers = entries.flatMap(({ server }) => server ?? []);
  const $set = {
    name,
    servers: [...new Set(servers)],
    entries: serializeEntries(entries),
    ...(description !== undefined && { description }),
    changedBy: actor.kind === 'user' ? actor.id : null,
  };
  const options = { ...AFTER, upsert: true, setDefaultsOnInsert: true };
  await models.listedTools.findOneAndUpdate(where, { $set }, options);
}

/** The key of a name. @throws AppError `VALIDATION_ERROR` */
export function requireToolName(name: string): string {
  const key = toSnakeCase(name);
  const [problem] = checkToolName(name);
  if (problem) throw new AppError('VALIDATION_ERROR', `name: ${problem.text}`);
  if (key === '') throw new AppError('VALIDATION_ERROR', 'name: must have a letter or a digit');
  return key;
}

export async function findTools(
  { platform, tenant: { organizationId } }: Context,
  workspaceId: string,
): Promise<ListedTools> {
  const found = await platform.models.listedTools
    .find({ organizationId, workspaceId })
    .sort({ key: 1 })
    .lean<ListedToolDocument[]>();
  return new Map(found.map((one) => [one.key, one]));
}

/** @throws AppError `NOT_FOUND` */
function findTool(
  { platform, tenant: { organizationId } }: Context,
  workspaceId: string,
  name: string,
): Promise<ListedToolDocument> {
  const where = { organizationId, workspaceId, key: toSnakeCase(name) };
  return findOr404(platform.models.listedTools.findOne(where).lean<ListedToolDocument>());
}

/** @throws AppError `INVALID_OPERATION` where the catalogue would be beyond the limits */
export function requireRoom(listed: ListedTools, patches: readonly ToolPatch[]): void {
  const tools = new Map<string, Pick<ListedToolDocument, 'name' | 'entries'>>(listed);
  for (const { name, entries } of patches) {
    const key = requireToolName(name);
    if (entries) tools.set(key, { name, entries: serializeEntries(entries) });
    else tools.delete(key);
  }
  const problem = findCatalogueProblem([...tools.values()].flatMap(toTools));
  if (problem !== null) throw new AppError('INVALID_OPERATION', problem);
}

const toView = (listed: ListedToolDocument): ToolView => ({
  ...listed,
  entries: parseEntries(listed),
});
