// Whether policies judge by the catalogue: where changes need an approval, so do those of tools (decisions: tools).
import { type Condition, isStateField } from '@assay/policy';
import { getOrganizationContext } from '../../identity/organization/organization.service.ts';
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { listProposedPolicies } from '../approvals/proposed-policies.service.ts';
import { isJudging, type PolicyContents, type PolicyDocument } from '../policies.model.ts';

type Version = Pick<PolicyContents, 'enabled' | 'observe' | 'conditions'>;

/** @throws AppError `INVALID_OPERATION` where changes need an approval, and something judges by the catalogue */
export async function requireDirectToolChange(
  ctx: Context,
  names: readonly string[],
): Promise<void> {
  if (names.length > 0 && (await needsToolApproval(ctx)))
    throw new AppError(
      'INVALID_OPERATION',
      'Enabled policies change by approval here, and so do the tools that they judge by: POST /tools/approvals',
    );
}

async function needsToolApproval(ctx: Context): Promise<boolean> {
  const { organizationId } = ctx.tenant;
  const { requiresPolicyApproval } = await getOrganizationContext(ctx.platform, organizationId);
  return requiresPolicyApproval && (await isCatalogueJudging(ctx));
}

/** Whether an enabled policy of the organisation reads the catalogue, in an arm of its canary, or is proposed to. */
async function isCatalogueJudging(ctx: Context): Promise<boolean> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const policies = await platform.models.policies
    .find({ organizationId, deletedAt: null }, 'enabled observe conditions canary')
    .lean<Pick<PolicyDocument, 'enabled' | 'observe' | 'conditions' | 'canary'>[]>();
  if (policies.some((policy) => [policy, policy.canary?.control].some(isJudgingByTools)))
    return true;
  return (await listProposedPolicies(ctx)).some(isJudgingByTools);
}

const isJudgingByTools = (version: Version | null | undefined): boolean =>
  version != null &&
  isJudging(version) &&
  version.conditions.some(({ field }: Condition) => isStateField(field));
