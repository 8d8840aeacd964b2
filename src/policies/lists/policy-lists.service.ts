// Named lists of an organisation: written as a whole, by approval where four eyes have approved what judges by them.
import { getOrganizationContext } from '../../identity/organization/organization.service.ts';
import { requireWorkspace } from '../../identity/organization/workspaces/workspaces.service.ts';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import type { z } from 'zod';
import { type Condition, findListNames, LIST_NAME } from '@assay/policy';
import {
  computeListDigest,
  findListLimitViolation,
  listLimits,
  type ListContents,
} from '../../domain/policies/list-contents.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { AFTER, findOr404 } from '../../platform/mongo/queries.ts';
import { invalidatePolicySets } from '../policy-sets.service.ts';
import { findCurrentLists, loadContents, selectListsOf } from './list-contents.service.ts';
import {
  findListProposals,
  findListUsers,
  isListJudging,
  type ListUser,
} from './list-use.service.ts';
import type { PolicyListDocument } from './policy-lists.model.ts';
import type { listContentsView, policyListInput, policyListView } from './policy-lists.schemas.ts';

type ListView = z.input<typeof policyListView>;
type ListInput = z.output<typeof policyListInput>;

const USERS_SHOWN = 100;

/** Sorted by name. */
export function listPolicyLists({ platform, tenant }: Context): Promise<PolicyListDocument[]> {
  return platform.models.policyLists
    .find(filterVisible(tenant))
    .sort({ name: 1 })
    .limit(listLimits.lists)
    .lean<PolicyListDocument[]>();
}

/** @throws AppError `NOT_FOUND` */
export async function getPolicyList(ctx: Context, name: string): Promise<ListView> {
  return toView(ctx, await findList(ctx, name));
}

/** The values behind a digest that a policy set names. @throws AppError `NOT_FOUND` */
export async function getListContents(
  { platform: { models }, tenant: { organizationId } }: Context,
  digest: string,
): Promise<z.input<typeof listContentsView>> {
  await findOr404(models.policyListContents.exists({ organizationId, digest }));
  return { digest, values: [...(await loadContents(models, organizationId, digest))] };
}

/**
 * Makes a list, or replaces its values.
 * @throws AppError `VALIDATION_ERROR` for a bad name, `NOT_FOUND` for an unknown workspace, `ALREADY_EXISTS` for a name
 * that another workspace has taken, `INVALID_OPERATION` beyond the limits, for another workspace, or where it needs an approval
 */
export async function putPolicyList(
  ctx: Context,
  name: string,
  { values, description, workspaceId: given }: ListInput,
): Promise<ListView> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  requireName(name);
  await lockOrganization(platform, organizationId);
  const before = await findByName(ctx, name);
  const workspaceId = await resolveListWorkspace(ctx, before, given);
  const contents = computeListDigest(values);
  if (before && before.digest !== contents.digest) await requireDirectChange(ctx, name);
  await keepContents(ctx, name, contents);
  return toView(ctx, await writeList(ctx, { name, workspaceId, description }, contents));
}

/** @throws AppError `VALIDATION_ERROR` */
function requireName(name: string): void {
  if (LIST_NAME.test(name)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    'name: must be 1 to 64 lower-case letters, digits, - and _, with a letter or digit at both ends',
  );
}

interface WrittenList {
  name: string;
  workspaceId: string | null;
  description?: string | undefined;
}

/** When a list was changed last; null: there is none of this name. */
export async function readListChange(ctx: Context, name: string): Promise<Date | null> {
  return (await findByName(ctx, name))?.updatedAt ?? null;
}

/** Makes the list, or replaces its values by contents that are kept. */
export async function writeList(
  { platform, tenant: { organizationId, actor } }: Context,
  { name, workspaceId, description }: WrittenList,
  { digest, count, text }: ListContents,
): Promise<PolicyListDocument> {
  const $set = {
    digest,
    count,
    characters: text.length,
    ...(description !== undefined && { description }),
    changedBy: actor.kind === 'user' ? actor.id : null,
  };
  const written = platform.models.policyLists.findOneAndUpdate(
    { organizationId, name },
    { $set, $setOnInsert: { workspaceId } },
    { ...AFTER, upsert: true, setDefaultsOnInsert: true },
  );
  const stored = await findOr404(written.lean<PolicyListDocument>());
  platform.onCommit(() => invalidatePolicySets(platform, organizationId));
  return stored;
}

/** The contents of its digests stay. @throws AppError `NOT_FOUND`, `INVALID_OPERATION` while something refers to it */
export async function removePolicyList(
  ctx: Context,
  name: string,
): Promise<{ name: string; deleted: true }> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  await lockOrganization(platform, organizationId);
  await findList(ctx, name);
  await requireUnused(ctx, name);
  await platform.models.policyLists.deleteOne({ organizationId, name });
  return { name, deleted: true };
}

/** @throws AppError `INVALID_OPERATION` while something refers to it */
export async function requireUnused(ctx: Context, name: string): Promise<void> {
  const [user] = await findListUsers(ctx, name);
  if (user) throw new AppError('INVALID_OPERATION', `The policy "${user.name}" refers to the list`);
  if ((await findListProposals(ctx, name)).length > 0)
    throw new AppError('INVALID_OPERATION', 'A change that waits for approval refers to the list');
}

/**
 * Requires the lists that conditions name, under the lock that their removal takes.
 * @throws AppError `VALIDATION_ERROR`
 */
export async function requireLists(
  { platform, tenant: { organizationId } }: Context,
  policy: { workspaceId: string; conditions: readonly Condition[] },
): Promise<void> {
  const names = findListNames(policy.conditions);
  if (names.length === 0) return;
  await lockOrganization(platform, organizationId);
  const found = await findCurrentLists(platform.models, organizationId, [policy]);
  const known = new Set(selectListsOf(found, policy.workspaceId).map(({ name }) => name));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new AppError(
      'VALIDATION_ERROR',
      `conditions: the workspace has no list "${missing}"; make it first: PUT /policy-lists/${missing}`,
    );
}

/** Those of all workspaces. */
export function findByName(
  { platform, tenant: { organizationId } }: Context,
  name: string,
): Promise<PolicyListDocument | null> {
  return platform.models.policyLists
    .findOne({ organizationId, name })
    .lean<PolicyListDocument>()
    .exec();
}

/** @throws AppError `NOT_FOUND` */
export function findList({ platform, tenant }: Context, name: string): Promise<PolicyListDocument> {
  const where = { ...filterVisible(tenant), name };
  return findOr404(platform.models.policyLists.findOne(where).lean<PolicyListDocument>());
}

/** Those of all workspaces, and of the chosen one. */
function filterVisible({ organizationId, workspaceId }: Tenant) {
  return {
    organizationId,
    ...(workspaceId !== null && { workspaceId: { $in: [null, workspaceId] } }),
  };
}

/** @throws AppError `NOT_FOUND`, `ALREADY_EXISTS`, `INVALID_OPERATION` */
async function resolveListWorkspace(
  { platform, tenant }: Context,
  before: PolicyListDocument | null,
  given: string | undefined,
): Promise<string | null> {
  const chosen = given ?? tenant.workspaceId;
  await requireWorkspace(platform, tenant.organizationId, chosen);
  const owner = before?.workspaceId?.toHexString() ?? null;
  if (!before) return chosen;
  if (owner !== null && tenant.workspaceId !== null && owner !== tenant.workspaceId)
    throw new AppError('ALREADY_EXISTS', 'Another workspace has a list of this name');
  if (given !== undefined && given !== owner)
    throw new AppError('INVALID_OPERATION', 'The workspace of a list cannot be changed');
  return owner;
}

/** @throws AppError `INVALID_OPERATION` where changes need an approval, and something judges by the list */
async function requireDirectChange(ctx: Context, name: string): Promise<void> {
  if (await needsApproval(ctx, name, await findListUsers(ctx, name)))
    throw new AppError(
      'INVALID_OPERATION',
      `Enabled policies change by approval here, and so does a list that they refer to: POST /policy-lists/${name}/approvals`,
    );
}

async function needsApproval(
  ctx: Context,
  name: string,
  users: readonly ListUser[],
): Promise<boolean> {
  const { organizationId } = ctx.tenant;
  const { requiresPolicyApproval } = await getOrganizationContext(ctx.platform, organizationId);
  return requiresPolicyApproval && (await isListJudging(ctx, name, users));
}

/** @throws AppError `INVALID_OPERATION` beyond the limits */
async function requireRoom(
  { platform, tenant: { organizationId } }: Context,
  name: string,
  { count, text }: ListContents,
): Promise<void> {
  const others = await platform.models.policyLists
    .find({ organizationId, name: { $ne: name } }, 'count characters')
    .lean<Pick<PolicyListDocument, 'count' | 'characters'>[]>();
  const violation = findListLimitViolation({ count, characters: text.length }, others);
  if (violation !== null) throw new AppError('INVALID_OPERATION', violation);
}

/** Keeps what a digest of the list stands for. @throws AppError `INVALID_OPERATION` beyond the limits */
export async function keepContents(
  ctx: Context,
  name: string,
  contents: ListContents,
): Promise<void> {
  await requireRoom(ctx, name, contents);
  const { organizationId } = ctx.tenant;
  const { digest, text } = contents;
  await ctx.platform.models.policyListContents.updateOne(
    { organizationId, digest },
    { $setOnInsert: { values: text } },
    { upsert: true },
  );
}

async function toView(ctx: Context, list: PolicyListDocument): Promise<ListView> {
  const { models } = ctx.platform;
  const users = await findListUsers(ctx, list.name);
  return {
    ...list,
    needsApproval: await needsApproval(ctx, list.name, users),
    values: [...(await loadContents(models, list.organizationId, list.digest))],
    usedBy: users
      .slice(0, USERS_SHOWN)
      .map(({ _id: id, name, enabled }) => ({ id, name, enabled })),
  };
}
