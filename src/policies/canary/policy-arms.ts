// Selects the version of each policy that judges in an arm of a canary.
import type { Arm } from '../../domain/policies/changes/sequential-test.ts';
import { toPolicyContents, type PolicyContents, type PolicyDocument } from '../policies.model.ts';

/** An enabled policy as it judges. */
export interface JudgingPolicy extends PolicyContents {
  id: string;
  revision: number;
  workspaceId: string;
}

/** Part of a filter: the policies that judge in some arm. */
export const JUDGING = {
  deletedAt: null,
  $or: [{ enabled: true }, { canary: { $ne: null } }],
};

/** The control arm uses the version before the canary, or leaves the policy out when there was none. */
export function selectArmPolicies(arm: Arm, policies: readonly PolicyDocument[]): JudgingPolicy[] {
  return policies.flatMap((policy) => {
    const version = arm === 'control' && policy.canary ? policy.canary.control : policy;
    if (!version?.enabled) return [];
    const { revision } = version;
    const id = policy._id.toHexString();
    const workspaceId = policy.workspaceId.toHexString();
    return [{ id, revision, workspaceId, ...toPolicyContents(version) }];
  });
}
