// Puts approved changes of policies, lists and tools into force, and reverts rejected ones made without review (decisions: approvals).
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { applyListChange, revertListChange } from '../lists/list-changes.service.ts';
import { applyToolsChange, revertToolsChange } from '../tools/tool-changes.service.ts';
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
import { parseApprovedContents, parseListChange, parseToolsChange } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

/** The fields of an approval that are known once it is in force. */
export type EnforcementResult = Partial<
  Pick<PolicyApprovalDocument, 'policyId' | 'promotedRevision'>
>;

/** What became of a change that was in force without a review. */
interface Reversion {
  /** False: it has changed since and is left alone. */
  undone: boolean;
  /** The revision of the policy that did it. */
  undoneRevision: number | null;
}

/** @throws AppError `INVALID_OPERATION` when what it changes has changed since, and beyond the limits */
export async function applyApproval(
  ctx: Context,
  approval: PolicyApprovalDocument,
): Promise<EnforcementResult> {
  const other = findOtherChange(approval);
  if (other) {
    await other.apply(ctx);
    return {};
  }
  const { _id: policyId, revision } = await writeChange({ ...ctx, isApproved: true }, approval);
  return { policyId, promotedRevision: revision };
}

/** Restores what it changed. @throws AppError `INVALID_OPERATION` beyond the limits */
export async function revertApproval(
  ctx: Context,
  approval: PolicyApprovalDocument,
): Promise<Reversion> {
  const other = findOtherChange(approval);
  if (other) return { undone: await other.revert(ctx), undoneRevision: null };
  const undoneRevision = await revertPolicy(ctx, approval);
  return { undone: undoneRevision !== null, undoneRevision };
}

/** How a change is put into force and taken back that has no revisions. */
interface OtherChange {
  apply(ctx: Context): Promise<void>;
  /** Returns whether it did; what it changed is no longer as it was left otherwise. */
  revert(ctx: Context): Promise<boolean>;
}

/** The change of a list or of tools; null: it is one of a policy. */
function findOtherChange(approval: PolicyApprovalDocument): OtherChange | null {
  const workspaceId = approval.workspaceId?.toHexString() ?? null;
  const list = parseListChange(approval);
  if (list) {
    const placed = { workspaceId, change: list };
    return {
      apply: (ctx) => applyListChange(ctx, placed),
      revert: (ctx) => revertListChange(ctx, placed),
    };
  }
  const tools = parseToolsChange(approval);
  return (
    tools && {
      apply: (ctx) => applyToolsChange(ctx, String(workspaceId), tools),
      revert: (ctx) => revertToolsChange(ctx, String(workspaceId), tools),
    }
  );
}

/** Returns the revision that did it; null: the policy has changed since and is left alone. */
async function revertPolicy(
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
    return createPolicy(ctx, { ...contents, workspaceId: String(workspaceId) });
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
