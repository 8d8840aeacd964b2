// Changes of lists by approval: what is proposed, how it is put into force, and taken back (decisions: approvals of lists).
import type { z } from 'zod';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import {
  computeListDigest,
  type ListChange,
  type ListContents,
  type ListVersion,
} from '../../domain/policies/list-contents.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { loadContents } from './list-contents.service.ts';
import type { policyListChange } from './policy-lists.schemas.ts';
import {
  findByName,
  findList,
  keepContents,
  removePolicyList,
  requireUnused,
  writeList,
} from './policy-lists.service.ts';

/** A change, and the workspace of its list; null: it is a list of all. */
export interface PlacedChange {
  workspaceId: string | null;
  change: ListChange;
}

/** @throws AppError `NOT_FOUND`; `INVALID_OPERATION` without effect, beyond the limits, or to remove what is in use */
export async function proposeListChange(
  ctx: Context,
  name: string,
  { values }: z.output<typeof policyListChange>,
): Promise<PlacedChange> {
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  const { description, digest, count, ...list } = await findList(ctx, name);
  const before = { digest, count };
  const workspaceId = list.workspaceId?.toHexString() ?? null;
  if (values == null) {
    await requireUnused(ctx, name);
    return { workspaceId, change: { name, description, before, after: null } };
  }
  const contents = computeListDigest(values);
  if (contents.digest === digest)
    throw new AppError('INVALID_OPERATION', 'The list says that already');
  await keepContents(ctx, name, contents);
  const after = { digest: contents.digest, count: contents.count };
  return { workspaceId, change: { name, description, before, after } };
}

/** @throws AppError `INVALID_OPERATION` when the list has changed since, and like what it does */
export async function applyListChange(ctx: Context, placed: PlacedChange): Promise<void> {
  const { name, before, after } = placed.change;
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  if (!(await isStill(ctx, placed, before)))
    throw new AppError(
      'INVALID_OPERATION',
      'The list has changed since; its author withdraws the change and proposes another',
    );
  if (after === null) await removePolicyList(ctx, name);
  else await writeVersion(ctx, placed, after);
}

/**
 * Makes the list what it was. Returns whether it did; it has changed since otherwise, and is left alone.
 * @throws AppError `INVALID_OPERATION` beyond the limits
 */
export async function revertListChange(ctx: Context, placed: PlacedChange): Promise<boolean> {
  const { before, after } = placed.change;
  await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  if (!(await isStill(ctx, placed, after))) return false;
  await writeVersion(ctx, placed, before);
  return true;
}

/** Whether the list has these values, in its workspace; null: whether there is none. */
async function isStill(
  ctx: Context,
  { workspaceId, change }: PlacedChange,
  version: ListVersion | null,
): Promise<boolean> {
  const list = await findByName(ctx, change.name);
  if (!list || !version) return !list && !version;
  const owner = list.workspaceId?.toHexString() ?? null;
  return list.digest === version.digest && owner === workspaceId;
}

async function writeVersion(
  ctx: Context,
  { workspaceId, change: { name, description } }: PlacedChange,
  version: ListVersion,
): Promise<void> {
  const contents = await loadVersion(ctx, version);
  await keepContents(ctx, name, contents);
  const isNew = (await findByName(ctx, name)) === null;
  await writeList(ctx, { name, workspaceId, ...(isNew && { description }) }, contents);
}

/** @throws AppError `INTERNAL_ERROR` when the values are not those of the digest */
async function loadVersion(
  { platform: { models }, tenant: { organizationId } }: Context,
  { digest }: ListVersion,
): Promise<ListContents> {
  const contents = computeListDigest([...(await loadContents(models, organizationId, digest))]);
  if (contents.digest !== digest) throw new AppError('INTERNAL_ERROR');
  return contents;
}
