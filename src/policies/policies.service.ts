// Policies: every change leaves an immutable revision, removal included (document 2, section 4.2).
import type { z } from 'zod';
import { isSameJson, findTemplate, type PolicyTemplate, policyTemplates } from '@assay/policy';
import type { Tenant } from '../domain/identity/tenant.ts';
import type { Page } from '../domain/page.ts';
import { AppError } from '../errors.ts';
import type { Context } from '../platform/context.ts';
import {
  countAtMost,
  findOr404,
  type Listed,
  listPage,
  type DeletedView,
  toDeletedView,
  takeOnly,
} from '../platform/mongo/queries.ts';
import { loadApprovalsByRevision } from './approvals/approval-history.service.ts';
import {
  toPolicyContents,
  type PolicyDocument,
  type PolicyRevisionDocument,
  type PolicyStatisticsDocument,
} from './policies.model.ts';
import type {
  policyChange,
  policyInput,
  templateInput,
  PolicyRevisionView,
} from './policies.schemas.ts';
import { type EditContext, insertPolicy, revisePolicy } from './policy-changes.service.ts';
import { requireWorkspace } from '../identity/organization/workspaces/workspaces.service.ts';

type Statistics = Pick<PolicyStatisticsDocument, 'matchCount' | 'lastMatched'>;

export interface PolicyView extends Omit<PolicyDocument, 'canary'>, Statistics {
  id: PolicyDocument['_id'];
  canary: NonNullable<PolicyDocument['canary']> | null;
}

const NEVER_MATCHED: Statistics = { matchCount: 0, lastMatched: null };

/** @throws AppError `NOT_FOUND` */
export async function getPolicy(ctx: Context, id: string): Promise<PolicyView> {
  return loadView(ctx, await findPolicy(ctx, id));
}

export async function listPolicies(ctx: Context, page: Page): Promise<Listed<PolicyView>> {
  const { platform, tenant } = ctx;
  const { items, total } = await listPage(platform.models.policies, filterLive(tenant), page);
  return { items: await loadViews(ctx, items), total };
}

/**
 * @throws AppError `NOT_FOUND` for a workspace that is not the organisation's, `INVALID_OPERATION` beyond the
 * workspace's limits, or where changes need an approval
 */
export async function createPolicy(
  ctx: EditContext,
  { workspaceId: requestedWorkspaceId, ...contents }: z.output<typeof policyInput>,
): Promise<PolicyView> {
  const workspaceId = await resolveWorkspace(ctx, requestedWorkspaceId);
  return toView(await insertPolicy(ctx, { ...contents, workspaceId }));
}

/** The workspace of a new policy. @throws AppError `NOT_FOUND` */
export async function resolveWorkspace(
  { platform, tenant }: Context,
  requestedWorkspaceId: string | undefined,
): Promise<string> {
  const { organizationId } = tenant;
  const workspaceId = requestedWorkspaceId ?? tenant.workspaceId ?? tenant.defaultWorkspaceId;
  await requireWorkspace(platform, organizationId, workspaceId);
  return workspaceId;
}

/**
 * A change to what is there already leaves no revision.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` beyond the workspace's limits, or where changes need an
 * approval
 */
export async function updatePolicy(
  ctx: EditContext,
  id: string,
  change: z.output<typeof policyChange>,
): Promise<PolicyView> {
  const policy = await findPolicy(ctx, id);
  const current = toPolicyContents(policy);
  const isSame = isSameJson({ ...current, ...change }, current);
  return loadView(ctx, isSame ? policy : await revisePolicy(ctx, policy, change));
}

/**
 * Marks the policy as deleted; its revisions stay, so what it judged can be proved.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` where changes need an approval
 */
export async function removePolicy(
  ctx: EditContext,
  id: string,
): Promise<DeletedView<PolicyDocument['_id']>> {
  const policy = await findPolicy(ctx, id);
  const { _id } = await revisePolicy(ctx, policy, { deletedAt: ctx.platform.clock.now() });
  return toDeletedView({ _id });
}

/** Lists the newest first, also of a removed policy. @throws AppError `NOT_FOUND` */
export async function listRevisions(
  ctx: Context,
  policyId: string,
  page: Page,
): Promise<Listed<PolicyRevisionView>> {
  const where = await filterRevisions(ctx, policyId);
  const order = { ...page, sort: { revision: -1 } as const };
  const { items, total } = await listPage(ctx.platform.models.policyRevisions, where, order);
  return { items: await withApprovals(ctx, items), total };
}

/** @throws AppError `NOT_FOUND` */
export async function getRevision(
  ctx: Context,
  policyId: string,
  revision: number,
): Promise<PolicyRevisionView> {
  const where = { ...(await filterRevisions(ctx, policyId)), revision };
  const query = ctx.platform.models.policyRevisions.findOne(where).lean<PolicyRevisionDocument>();
  return takeOnly(withApprovals(ctx, [await findOr404(query)]));
}

export function listTemplates(): Promise<PolicyTemplate[]> {
  return Promise.resolve([...policyTemplates]);
}

/**
 * @throws AppError `NOT_FOUND` for an unknown template, `INVALID_OPERATION` beyond the workspace's limits, or
 * where changes need an approval
 */
export async function createFromTemplate(
  ctx: EditContext,
  { templateId, name }: z.output<typeof templateInput>,
): Promise<PolicyView> {
  const template = findTemplate(templateId);
  if (!template) throw new AppError('NOT_FOUND', 'No such template');
  const { description, conditions, actions } = template;
  const contents = { name: name ?? template.name, description, conditions, actions };
  return createPolicy(ctx, { ...contents, enabled: true, priority: 1 });
}

function findPolicy({ platform, tenant }: Context, _id: string): Promise<PolicyDocument> {
  const where = { ...filterLive(tenant), _id };
  return findOr404(platform.models.policies.findOne(where).lean<PolicyDocument>());
}

/** The filter for the revisions of a policy that the tenant sees, live or removed. */
async function filterRevisions({ platform, tenant }: Context, policyId: string) {
  await findOr404(platform.models.policies.exists({ ...filterVisible(tenant), _id: policyId }));
  return { organizationId: tenant.organizationId, policyId };
}

/** The policies of these ids that the tenant sees, of removed ones too, by id. */
export async function listPolicyOutlines(
  { platform, tenant }: Context,
  policyIds: readonly string[],
): Promise<Map<string, Pick<PolicyDocument, 'name' | 'actions'>>> {
  const found = await platform.models.policies
    .find({ ...filterVisible(tenant), _id: { $in: policyIds } }, 'name actions')
    .lean<Pick<PolicyDocument, '_id' | 'name' | 'actions'>[]>();
  return new Map(found.map((policy) => [policy._id.toHexString(), policy]));
}

/** Counts the policies that are on, up to a bound: those that judge, and those that observe alone. */
export async function countPolicies({
  platform: { models },
  tenant,
}: Context): Promise<{ judging: number; observing: number }> {
  const on = { ...filterLive(tenant), enabled: true };
  return {
    judging: await countAtMost(models.policies, { ...on, observe: { $ne: true } }),
    observing: await countAtMost(models.policies, { ...on, observe: true }),
  };
}

/** Adds to revisions of one policy the approvals that made them. */
async function withApprovals(
  ctx: Context,
  revisions: readonly PolicyRevisionDocument[],
): Promise<PolicyRevisionView[]> {
  const [first] = revisions;
  if (!first) return [];
  const numbers = revisions.map(({ revision }) => revision);
  const approvals = await loadApprovalsByRevision(ctx, first.policyId, numbers);
  return revisions.map((one) => ({ ...one, approval: approvals.get(one.revision) ?? null }));
}

async function loadViews(
  { platform, tenant: { organizationId } }: Context,
  policies: readonly PolicyDocument[],
): Promise<PolicyView[]> {
  const found = await platform.models.policyStatistics
    .find({ organizationId, _id: { $in: policies.map(({ _id }) => _id) } })
    .lean<PolicyStatisticsDocument[]>();
  const byId = new Map(found.map((statistics) => [statistics._id.toHexString(), statistics]));
  return policies.map((policy) => toView(policy, byId.get(policy._id.toHexString())));
}

const loadView = (ctx: Context, policy: PolicyDocument): Promise<PolicyView> =>
  takeOnly(loadViews(ctx, [policy]));

/** The policies that the tenant sees: of the organisation, or of the chosen workspace. */
function filterVisible({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}

/** The filter for the policies that are not removed, and that the tenant sees. */
export function filterLive(tenant: Tenant): ReturnType<typeof filterVisible> & { deletedAt: null } {
  return { ...filterVisible(tenant), deletedAt: null };
}

function toView(policy: PolicyDocument, statistics: Statistics = NEVER_MATCHED): PolicyView {
  const { matchCount, lastMatched } = statistics;
  const { _id: id, canary = null } = policy;
  return { ...policy, id, canary, matchCount, lastMatched };
}
