// What open changes would make of policies, for those who ask what policies judge by.
import type { QueryFilter } from 'mongoose';
import { OPEN_STATES } from '../../domain/policies/changes/approval.ts';
import type { Context } from '../../platform/context.ts';
import type { PolicyContents } from '../policies.model.ts';
import { parseApprovedContents } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

/** Those of the organisation, of which `where` selects some. */
export async function listProposedPolicies(
  { platform, tenant: { organizationId } }: Context,
  where: QueryFilter<PolicyApprovalDocument> = {},
): Promise<PolicyContents[]> {
  const ofPolicies = { listName: null, ofTools: null };
  const open = await platform.models.policyApprovals
    .find({ organizationId, state: { $in: OPEN_STATES }, ...ofPolicies, ...where }, 'contents')
    .lean<Pick<PolicyApprovalDocument, 'contents' | 'digest'>[]>();
  return open.map(parseApprovedContents);
}
