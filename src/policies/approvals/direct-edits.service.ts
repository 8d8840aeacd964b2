// Decides whether a policy may be changed directly, or by approval only (decisions: approvals).
import { getOrganizationContext } from '../../identity/organization/organization.service.ts';
import { AppError } from '../../errors.ts';
import { isJudging, type PolicyContents } from '../policies.model.ts';
import type { EditContext } from '../policy-changes.service.ts';

/** The contents of a policy before and after a change; null: there is no policy. */
interface PolicyChange {
  before: PolicyContents | null;
  after: PolicyContents | null;
}

/**
 * Always allows a change of a policy that is disabled, or observes, before and after: it judges nothing.
 * @throws AppError `INVALID_OPERATION` where the organisation asks for approvals
 */
export async function requireDirectEdit(
  { platform, tenant, isApproved }: EditContext,
  { before, after }: PolicyChange,
): Promise<void> {
  const concerned = [before, after].some((policy) => policy !== null && isJudging(policy));
  if (isApproved || !concerned) return;
  const { requiresPolicyApproval } = await getOrganizationContext(platform, tenant.organizationId);
  if (requiresPolicyApproval)
    throw new AppError(
      'INVALID_OPERATION',
      'Enabled policies change by approval here: POST /policies/approvals',
    );
}
