// Who refers to a named list: policies, the versions before their canaries, and changes that wait for approval.
import { findListNames } from '@assay/policy';
import type { Context } from '../../platform/context.ts';
import { listProposedPolicies } from '../approvals/proposed-policies.service.ts';
import { isJudging, type PolicyContents, type PolicyDocument } from '../policies.model.ts';

export type ListUser = Pick<
  PolicyDocument,
  '_id' | 'name' | 'enabled' | 'observe' | 'conditions' | 'canary'
>;

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
      'name enabled observe conditions canary',
    )
    .limit(USERS_MAX)
    .lean<ListUser[]>();
  return found.filter(({ conditions, canary }) =>
    [{ conditions }, canary?.control].some((version) => isUsing(version, name)),
  );
}

/** What changes that are proposed or approved make of policies that refer to a list. */
export async function findListProposals(ctx: Context, name: string): Promise<PolicyContents[]> {
  const where = { contents: { $regex: `"list":"${name}"` } };
  return (await listProposedPolicies(ctx, where)).filter((proposed) => isUsing(proposed, name));
}

/** Whether a policy judges by the list in an arm of its canary, or is proposed to judge by it. */
export async function isListJudging(
  ctx: Context,
  name: string,
  users: readonly ListUser[],
): Promise<boolean> {
  const versions = users.flatMap((policy) => [policy, policy.canary?.control ?? null]);
  if (versions.some((version) => version !== null && isJudging(version))) return true;
  return (await findListProposals(ctx, name)).some(isJudging);
}

const isUsing = (
  version: Pick<PolicyContents, 'conditions'> | null | undefined,
  name: string,
): boolean => version != null && findListNames(version.conditions).includes(name);
