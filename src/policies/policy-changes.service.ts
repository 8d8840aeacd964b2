// Writes changes of policies: permission, revision, limits of the workspace, and the active policy sets.
import { lockOrganization } from '../identity/organization/memberships/memberships.service.ts';
import type { Context } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { hasSameEffect } from '../domain/policies/changes/canary.ts';
import { ARMS } from '../domain/policies/changes/sequential-test.ts';
import { findWorkspaceLimitViolation } from '../domain/policies/workspace-limits.ts';
import { AppError } from '../errors.ts';
import { AFTER, findOr404, insertOne } from '../platform/mongo/queries.ts';
import { requireDirectEdit } from './approvals/direct-edits.service.ts';
import { JUDGING, selectArmPolicies } from './canary/policy-arms.ts';
import { requireLists } from './lists/policy-lists.service.ts';
import { toPolicyContents, type PolicyContents, type PolicyDocument } from './policies.model.ts';
import { invalidatePolicySets } from './policy-sets.service.ts';

/** Every change runs in the transaction of the request. */
export interface EditContext extends Context {
  /** An approval makes the change, so it is allowed where direct edits are not; its lists were there when it was proposed. */
  isApproved?: true;
}

/** The fields that a change writes. */
type PolicyPatch = Partial<PolicyContents> | { deletedAt: Date };
type NewPolicy = PolicyContents & { workspaceId: string };

/** @throws AppError `INVALID_OPERATION` beyond the workspace's limits, or where changes need an approval */
export async function insertPolicy(
  ctx: EditContext,
  newPolicy: NewPolicy,
): Promise<PolicyDocument> {
  const { organizationId } = ctx.tenant;
  await requireDirectEdit(ctx, { before: null, after: newPolicy });
  if (!ctx.isApproved) await requireLists(ctx, newPolicy);
  const policy = await insertOne(ctx.platform.models.policies, {
    ...newPolicy,
    organizationId,
    revision: 1,
  });
  await recordRevision(ctx, policy);
  return policy;
}

/** @throws AppError `NOT_FOUND` when it is gone, and like `insertPolicy` */
export async function revisePolicy(
  ctx: EditContext,
  policy: PolicyDocument,
  patch: PolicyPatch,
): Promise<PolicyDocument> {
  const { _id, organizationId } = policy;
  const before = toPolicyContents(policy);
  const after = 'deletedAt' in patch ? null : { ...before, ...patch };
  await requireDirectEdit(ctx, { before: selectActiveContents(policy), after });
  const workspaceId = policy.workspaceId.toHexString();
  if (after && !ctx.isApproved) await requireLists(ctx, { ...after, workspaceId });
  const isSuperseded = after === null || !hasSameEffect(before, after);
  const canary = isSuperseded ? policy.canary : null;
  if (canary) await supersedeCanary(ctx, canary.id.toHexString());
  const where = { _id, organizationId, deletedAt: null };
  const $set = canary ? { ...patch, canary: null } : patch;
  const update = { $set, $inc: { revision: 1 } };
  const { policies } = ctx.platform.models;
  const revised = await findOr404(
    policies.findOneAndUpdate(where, update, AFTER).lean<PolicyDocument>(),
  );
  await recordRevision(ctx, revised);
  return revised;
}

async function recordRevision(
  { platform, tenant }: EditContext,
  policy: PolicyDocument,
): Promise<void> {
  const { organizationId, actor } = tenant;
  const deleted = policy.deletedAt !== null;
  await insertOne(platform.models.policyRevisions, {
    ...toPolicyContents(policy),
    organizationId,
    policyId: policy._id,
    revision: policy.revision,
    deleted,
    changedBy: actor.kind === 'user' ? actor.id : null,
  });
  if (policy.enabled && !deleted) await requireWithinLimits(platform, policy);
  platform.onCommit(() => invalidatePolicySets(platform, organizationId));
}

/** Checks the limits in both arms of a canary, under the lock of the organisation. */
async function requireWithinLimits(platform: Platform, policy: PolicyDocument): Promise<void> {
  const { organizationId, workspaceId } = policy;
  await lockOrganization(platform, organizationId.toHexString());
  const judging = await platform.models.policies
    .find(
      { organizationId, workspaceId, ...JUDGING },
      'workspaceId enabled conditions actions canary',
    )
    .lean<PolicyDocument[]>();
  for (const arm of ARMS) {
    const violation = findWorkspaceLimitViolation(selectArmPolicies(arm, judging));
    if (violation !== null) throw new AppError('INVALID_OPERATION', violation);
  }
}

/** Ends a canary when a direct change replaces what it judges. */
async function supersedeCanary({ platform, tenant }: Context, canaryId: string): Promise<void> {
  await platform.models.policyCanaries.updateOne(
    { _id: canaryId, organizationId: tenant.organizationId },
    { $set: { state: 'superseded', endedAt: platform.clock.now() } },
  );
}

/** The enabled version: a policy that its canary disables still judges in the control arm. */
function selectActiveContents(policy: PolicyDocument): PolicyContents {
  const control = policy.canary?.control;
  return toPolicyContents(control?.enabled ? control : policy);
}
