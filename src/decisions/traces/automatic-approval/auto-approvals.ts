// Loads the auto-approval settings of an organisation's workspaces.
import type { Types } from 'mongoose';
import type { AutoApproval } from '../../../domain/automatic-approval.ts';
import type { Models } from '../../../models.ts';

/** Settings by workspace id; workspaces without auto-approval are missing. */
export async function loadAutoApprovals(
  models: Models,
  organizationId: string,
): Promise<ReadonlyMap<string, AutoApproval>> {
  const found = await models.workspaces
    .find({ organizationId, autoApproval: { $ne: null } }, 'autoApproval')
    .lean<{ _id: Types.ObjectId; autoApproval: AutoApproval }[]>();
  return new Map(found.map(({ _id, autoApproval }) => [_id.toHexString(), autoApproval]));
}
