// Finds the approvals that made policies what they are, for revisions, bundles and the auditor (decisions: approvals).
import type { Types } from 'mongoose';
import type { Context } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ApprovalState } from '../../domain/policies/changes/approval.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { listSteps } from './approval-steps.ts';
import { parseToolsChange, toNoticeName } from './approved-contents.ts';
import type { ApprovalStep, PolicyApprovalDocument } from './policy-approvals.model.ts';

export interface ApprovalRecord {
  approvalId: Types.ObjectId;
  workspaceId: Types.ObjectId | null;
  policyId: Types.ObjectId | null;
  list: string | null;
  tools: string[] | null;
  name: string;
  state: ApprovalState;
  needsReview: boolean;
  digest: string;
  baseRevision: number | null;
  promotedRevision: number | null;
  undoneRevision: number | null;
  createdAt: Date;
  steps: ApprovalStep[];
}

/** Maximum number of approvals in one answer; each holds a whole policy. */
export const APPROVALS_SHOWN = 100;

interface VisibleFilter {
  organizationId: string;
  workspaceId?: { $in: (string | null)[] };
}

/** Those of the organisation, or of the chosen workspace and of lists of all workspaces. */
export function filterVisibleApprovals({ organizationId, workspaceId }: Tenant): VisibleFilter {
  return {
    organizationId,
    ...(workspaceId !== null && { workspaceId: { $in: [null, workspaceId] } }),
  };
}

/** Returns the newest first, one more than is shown, so that the caller sees whether there are more. */
export function listNewestApprovals({ platform, tenant }: Context): Promise<ApprovalRecord[]> {
  return findRecords(platform, filterVisibleApprovals(tenant), APPROVALS_SHOWN + 1);
}

/** Maps each revision to the approval that made it, or whose effect it took back. */
export async function loadApprovalsByRevision(
  { platform, tenant: { organizationId } }: Context,
  policyId: Types.ObjectId | string,
  revisions: readonly number[],
): Promise<ReadonlyMap<number, ApprovalRecord>> {
  const promoted = { promotedRevision: { $in: revisions } };
  const where = {
    organizationId,
    policyId,
    $or: [promoted, { undoneRevision: { $in: revisions } }],
  };
  const found = await findRecords(platform, where, 2 * revisions.length);
  return new Map(
    found.flatMap((record) =>
      [record.promotedRevision, record.undoneRevision].flatMap((revision) =>
        revision === null ? [] : [[revision, record] as const],
      ),
    ),
  );
}

/** Lists the approvals that were promoted into one of these policies. */
export function listApprovalsByPolicy(
  { platform, tenant: { organizationId } }: Context,
  policyIds: readonly Types.ObjectId[],
): Promise<ApprovalRecord[]> {
  const where = { organizationId, policyId: { $in: policyIds }, promotedRevision: { $ne: null } };
  return findRecords(platform, where, APPROVALS_SHOWN);
}

async function findRecords(
  { models }: Platform,
  where: object,
  limit: number,
): Promise<ApprovalRecord[]> {
  const found = await models.policyApprovals
    .find(where)
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit)
    .maxTimeMS(READ_MAX_MS)
    .lean<PolicyApprovalDocument[]>();
  return found.map(toRecord);
}

function toRecord(approval: PolicyApprovalDocument): ApprovalRecord {
  const { _id: approvalId, workspaceId, policyId, listName: list = null, state, digest } = approval;
  const { baseRevision, promotedRevision, undoneRevision = null, createdAt } = approval;
  return {
    approvalId,
    workspaceId,
    policyId,
    list,
    tools: parseToolsChange(approval)?.tools.map(({ name }) => name) ?? null,
    name: list ?? toNoticeName(approval),
    state,
    needsReview: state === 'broken_glass',
    digest,
    baseRevision,
    promotedRevision,
    undoneRevision,
    createdAt,
    steps: listSteps(approval),
  };
}
