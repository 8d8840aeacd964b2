// Writes changes of policies: permission, revision, limits of the workspace, and the active policy sets.
import type { Platform } from '../platform/platform.ts';
import type { Tenant } from '../domain/identity/tenant.ts';
import { hasSameEffect } from '../domain/policies/changes/canary.ts';
import { ARMS } from '../domain/policies/changes/sequential-test.ts';
import { findWorkspaceLimitViolation } from '../domain/policies/workspace-limits.ts';
import { AppError } from '../errors.ts';
import { AFTER, findOr404, insertOne } from '../platform/mongo/queries.ts';
import type { MembershipService } from '../identity/organization/memberships/memberships.service.ts';
import { JUDGING, selectArmPolicies } from './canary/policy-arms.ts';
import { toPolicyContents, type PolicyContents, type PolicyDocument } from './policies.model.ts';
import type { PolicySetService } from './policy-sets.service.ts';

/** The contents of a policy before and after a change; null: there is no policy. */
export interface PolicyChange {
  before: PolicyContents | null;
  after: PolicyContents | null;
}

export interface PolicyChangeDeps {
  memberships: MembershipService;
  policySets: PolicySetService;
  /** @throws AppError when the change may not be made this way */
  requireAllowed: (tenant: Tenant, change: PolicyChange) => Promise<void>;
}

/** The fields that a change writes. */
type PolicyPatch = Partial<PolicyContents> | { deletedAt: Date };
type NewPolicy = PolicyContents & { workspaceId: string };

/** Every change runs in the transaction of the request. */
export function createPolicyChanges(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit'>,
  deps: PolicyChangeDeps,
) {
  const { models, clock, onCommit } = platform;
  const { memberships, policySets, requireAllowed } = deps;

  async function record(tenant: Tenant, policy: PolicyDocument): Promise<void> {
    const { organizationId, actor } = tenant;
    const deleted = policy.deletedAt !== null;
    await insertOne(models.policyRevisions, {
      ...toPolicyContents(policy),
      organizationId,
      policyId: policy._id,
      revision: policy.revision,
      deleted,
      changedBy: actor.kind === 'user' ? actor.id : null,
    });
    if (policy.enabled && !deleted) await requireWithinLimits(policy);
    onCommit(() => policySets.invalidate(organizationId));
  }

  /** Checks the limits in both arms of a canary, under the lock of the organisation. */
  async function requireWithinLimits(policy: PolicyDocument): Promise<void> {
    const { organizationId, workspaceId } = policy;
    await memberships.lockOrganization(organizationId.toHexString());
    const judging = await models.policies
      .find({ organizationId, workspaceId, ...JUDGING }, 'enabled conditions actions canary')
      .lean<PolicyDocument[]>();
    for (const arm of ARMS) {
      const violation = findWorkspaceLimitViolation(selectArmPolicies(arm, judging));
      if (violation !== null) throw new AppError('INVALID_OPERATION', violation);
    }
  }

  /** Ends a canary when a direct change replaces what it judges. */
  async function endCanary(organizationId: string, canaryId: string): Promise<void> {
    await models.policyCanaries.updateOne(
      { _id: canaryId, organizationId },
      { $set: { state: 'superseded', endedAt: clock.now() } },
    );
  }

  return {
    /** @throws AppError `INVALID_OPERATION` beyond the workspace's limits, and what `requireAllowed` throws */
    async insert(tenant: Tenant, newPolicy: NewPolicy): Promise<PolicyDocument> {
      const { organizationId } = tenant;
      await requireAllowed(tenant, { before: null, after: newPolicy });
      const policy = await insertOne(models.policies, {
        ...newPolicy,
        organizationId,
        revision: 1,
      });
      await record(tenant, policy);
      return policy;
    },

    /** @throws AppError `NOT_FOUND` when it is gone, and like `insert` */
    async updatePolicy(
      tenant: Tenant,
      policy: PolicyDocument,
      patch: PolicyPatch,
    ): Promise<PolicyDocument> {
      const { _id, organizationId } = policy;
      const before = toPolicyContents(policy);
      const after = 'deletedAt' in patch ? null : { ...before, ...patch };
      await requireAllowed(tenant, { before: selectActiveContents(policy), after });
      const isSuperseded = after === null || !hasSameEffect(before, after);
      const canary = isSuperseded ? policy.canary : null;
      if (canary) await endCanary(tenant.organizationId, canary.id.toHexString());
      const where = { _id, organizationId, deletedAt: null };
      const $set = canary ? { ...patch, canary: null } : patch;
      const update = { $set, $inc: { revision: 1 } };
      const revised = await findOr404(
        models.policies.findOneAndUpdate(where, update, AFTER).lean<PolicyDocument>(),
      );
      await record(tenant, revised);
      return revised;
    },
  };
}
export type PolicyChanges = ReturnType<typeof createPolicyChanges>;

/** The enabled version: a policy that its canary disables still judges in the control arm. */
function selectActiveContents(policy: PolicyDocument): PolicyContents {
  const control = policy.canary?.control;
  return toPolicyContents(control?.enabled ? control : policy);
}
