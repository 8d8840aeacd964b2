// Says which policies let standing grants pass what they hold, as they are now.
import { toPolicyMatch } from '@assay/policy';
import type { Platform } from '../platform/platform.ts';
import { isJudging, type PolicyDocument } from './policies.model.ts';

/** The revisions, by id, of live policies that judge, hold, and allow standing grants. */
export async function listGrantablePolicies(
  { models }: Pick<Platform, 'models'>,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await models.policies
    .find({ organizationId, _id: { $in: ids }, deletedAt: null })
    .lean<PolicyDocument[]>();
  const grantable = found.filter((policy) => isJudging(policy) && isHoldGrantable(policy));
  return new Map(grantable.map(({ _id, revision }) => [_id.toHexString(), revision]));
}

function isHoldGrantable({ _id, ...policy }: PolicyDocument): boolean {
  const { actions, grantable } = toPolicyMatch({ ...policy, id: _id.toHexString() });
  return actions.includes('flag_for_review') && grantable;
}
