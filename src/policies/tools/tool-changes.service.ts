// Changes of tools by approval: what is proposed, how it is put into force, and taken back (decisions: tools).
import type { ToolEntry } from '@assay/policy';
import type { z } from 'zod';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import {
  parseEntries,
  serializeEntries,
  type ToolsChange,
} from '../../domain/policies/tool-entries.ts';
import {
  findTools,
  isListedAs,
  requireRoom,
  requireToolName,
  writeTools,
} from './tools.service.ts';
import type { toolsChange } from './tools.schemas.ts';

/** Characters of one change as JSON: a page of the queue holds a hundred. */
const CHARACTERS_MAX = 65_536;

/** @throws AppError `VALIDATION_ERROR` for a bad name, `INVALID_OPERATION` without effect or beyond the limits */
export async function proposeToolsChange(
  ctx: Context,
  workspaceId: string,
  { tools }: z.output<typeof toolsChange>,
): Promise<ToolsChange> {
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  const listed = await findTools(ctx, workspaceId);
  requireRoom(listed, tools);
  const changes = tools.map(({ name, description, entries }) => {
    const known = listed.get(requireToolName(name));
    return {
      name,
      description: description ?? known?.description ?? '',
      before: known ? parseEntries(known) : null,
      after: entries && sortEntries(entries),
    };
  });
  const changed = changes.filter(({ before, after }) => toText(before) !== toText(after));
  if (changed.length === 0)
    throw new AppError('INVALID_OPERATION', 'The tools are listed like that already');
  if (JSON.stringify(changed).length > CHARACTERS_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `A change of tools has at most ${CHARACTERS_MAX} characters as JSON: propose fewer at a time`,
    );
  return { tools: changed };
}

/** @throws AppError `INVALID_OPERATION` when one of the tools has changed since, and beyond the limits */
export async function applyToolsChange(
  ctx: Context,
  workspaceId: string,
  { tools }: ToolsChange,
): Promise<void> {
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  const listed = await findTools(ctx, workspaceId);
  if (!tools.every(({ name, before }) => isListedAs(listed, { name, entries: before })))
    throw new AppError(
      'INVALID_OPERATION',
      'The tools have changed since; the author withdraws the change and proposes another',
    );
  const patches = tools.map(({ name, description, after }) => ({
    name,
    description,
    entries: after,
  }));
  await writeTools(ctx, workspaceId, { patches, listed });
}

/**
 * Makes the tools what they were. Returns whether it did; one has changed since otherwise, and all are left alone.
 * @throws AppError `INVALID_OPERATION` beyond the limits
 */
export async function revertToolsChange(
  ctx: Context,
  workspaceId: string,
  { tools }: ToolsChange,
): Promise<boolean> {
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  const listed = await findTools(ctx, workspaceId);
  if (!tools.every(({ name, after }) => isListedAs(listed, { name, entries: after }))) return false;
  const patches = tools.map(({ name, before }) => ({ name, entries: before }));
  await writeTools(ctx, workspaceId, { patches, listed });
  return true;
}

const toText = (entries: readonly ToolEntry[] | null): string | null =>
  entries && serializeEntries(entries);

const sortEntries = (entries: readonly ToolEntry[]): ToolEntry[] =>
  parseEntries({ entries: serializeEntries(entries) });
