// Who refers to a named list: policies, the versions before their canaries, and changes that wait for approval.
import { findListNames } from '@assay/policy';
import { OPEN_STATES } from '../../domain/policies/changes/approval.ts';
import type { Context } from '../../platform/context.ts';
import { parseApprovedContents } from '../approvals/approved-contents.ts';
import type { PolicyApprovalDocument } from '../approvals/policy-approvals.model.ts';
import type { PolicyContents, PolicyDocument } from '../policies.model.ts';

export type ListUser = Pick<PolicyDocument, '_id' | 'name' | 'enabled' | 'conditions' | 'canary'>;

const USERS_MAX = 1_000;

/** The policies that refer to a list now, or did before their canary. */
export async function findListUsers(
  { platform, tenant: { organizationId } }: Context,
  name: string,
): Promise<ListUser[]> {
  const found = await platform.models.policies
    .find(
      {
        organizationId,
        deletedAt: null,
        $or: ['conditions', 'canary.control.conditions'].map((path) => ({
          [`${path}.value.list`]: name,
        })),
      },
      'name enabled conditions canary',
    )
    .limit(USERS_MAX)
    .lean<ListUser[]>();
  return found.filter(({ conditions, canary }) =>
    [{ conditions }, canary?.control].some((version) => isUsing(version, name)),
  );
}

/** Whether a change that is proposed or approved refers to a list. */
export async function isListProposed(
  { platform, tenant: { organizationId } }: Context,
  name: string,
): Promise<boolean> {
  const open = await platform.models.policyApprovals
    .find(
      {
        organizationId,
        state: { $in: OPEN_STATES },
        contents: { $regex: `"list":"${name}"` },
      },
      'contents',
    )
    .lean<Pick<PolicyApprovalDocument, 'contents' | 'digest'>[]>();
  return open.some((approval) => isUsing(parseApprovedContents(approval), name));
}

const isUsing = (
  version: Pick<PolicyContents, 'conditions'> | null | undefined,
  name: string,
): boolean => version != null && findListNames(version.conditions).includes(name);
