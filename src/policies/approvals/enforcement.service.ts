// Puts approved changes of policies into force, and reverts rejected ones made without review (decisions: approvals).
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { toPolicyContents } from '../policies.model.ts';
import {
  createPolicy,
  getPolicy,
  getRevision,
  type PolicyView,
  removePolicy,
  updatePolicy,
} from '../policies.service.ts';
import type { EditContext } from '../policy-changes.service.ts';
import { parseApprovedContents } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

/** The fields of an approval that are known once it is in force. */
export type EnforcementResult = Partial<
  Pick<PolicyApprovalDocument, 'policyId' | 'promotedRevision'>
>;

/** @throws AppError `INVALID_OPERATION` when the policy has changed since, and beyond the workspace's limits */
export async function applyApproval(
  ctx: Context,
  approval: PolicyApprovalDocument,
): Promise<EnforcementResult> {
  const { _id: policyId, revision } = await writeChange({ ...ctx, isApproved: true }, approval);
  return { policyId, promotedRevision: revision };
}

/**
 * Restores the policy. Returns the revision that did it; null: the policy has changed since and is left alone.
 * @throws AppError `INVALID_OPERATION` beyond the workspace's limits
 */
export async function revertApproval(
  ctx: Context,
  { policyId, baseRevision, promotedRevision }: PolicyApprovalDocument,
): Promise<number | null> {
  const id = policyId?.toHexString() ?? '';
  const current = (await findLive(ctx, id))?.revision;
  if (promotedRevision === null || current !== promotedRevision) return null;
  const approved = { ...ctx, isApproved: true } as const;
  if (baseRevision === null) {
    await removePolicy(approved, id);
    return promotedRevision + 1;
  }
  const before = toPolicyContents(await getRevision(ctx, id, baseRevision));
  return (await updatePolicy(approved, id, before)).revision;
}

async function writeChange(
  ctx: EditContext,
  approval: PolicyApprovalDocument,
): Promise<PolicyView> {
  const contents = parseApprovedContents(approval);
  const { policyId, baseRevision, workspaceId } = approval;
  if (policyId === null)
    return createPolicy(ctx, { ...contents, workspaceId: workspaceId.toHexString() });
  const id = policyId.toHexString();
  if ((await findLive(ctx, id))?.revision !== baseRevision)
    throw new AppError(
      'INVALID_OPERATION',
      'The policy has changed since; its author takes that up by editing the change',
    );
  return updatePolicy(ctx, id, contents);
}

/** Returns null when the policy is removed. */
async function findLive(ctx: Context, id: string): Promise<PolicyView | null> {
  try {
    return await getPolicy(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
