// Puts approved changes of policies into force, and reverts rejected ones made without review (decisions: approvals).
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { toPolicyContents } from '../policies.model.ts';
import type { PolicyService, PolicyView } from '../policies.service.ts';
import { parseApprovedContents } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

/** The fields of an approval that are known once it is in force. */
export type EnforcementResult = Partial<
  Pick<PolicyApprovalDocument, 'policyId' | 'promotedRevision'>
>;

/** `definitions` must be the policy service that does not ask for approvals. */
export function createApprovalEnforcement({ definitions }: { definitions: PolicyService }) {
  /** Returns null when the policy is removed. */
  async function findLive(tenant: Tenant, id: string): Promise<PolicyView | null> {
    try {
      return await definitions.getPolicy(tenant, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  async function writeChange(
    tenant: Tenant,
    approval: PolicyApprovalDocument,
  ): Promise<PolicyView> {
    const contents = parseApprovedContents(approval);
    const { policyId, baseRevision, workspaceId } = approval;
    if (policyId === null)
      return definitions.create(tenant, { ...contents, workspaceId: workspaceId.toHexString() });
    const id = policyId.toHexString();
    if ((await findLive(tenant, id))?.revision !== baseRevision)
      throw new AppError(
        'INVALID_OPERATION',
        'The policy has changed since; its author takes that up by editing the change',
      );
    return definitions.update(tenant, id, contents);
  }

  return {
    /** @throws AppError `INVALID_OPERATION` when the policy has changed since, and beyond the workspace's limits */
    async applyApproval(
      tenant: Tenant,
      approval: PolicyApprovalDocument,
    ): Promise<EnforcementResult> {
      const { _id: policyId, revision: promotedRevision } = await writeChange(tenant, approval);
      return { policyId, promotedRevision };
    },

    /**
     * Restores the policy. Returns the revision that did it; null: the policy has changed since and is left alone.
     * @throws AppError `INVALID_OPERATION` beyond the workspace's limits
     */
    async revertApproval(
      tenant: Tenant,
      { policyId, baseRevision, promotedRevision }: PolicyApprovalDocument,
    ): Promise<number | null> {
      const id = policyId?.toHexString() ?? '';
      const current = (await findLive(tenant, id))?.revision;
      if (promotedRevision === null || current !== promotedRevision) return null;
      if (baseRevision === null) {
        await definitions.remove(tenant, id);
        return promotedRevision + 1;
      }
      const before = toPolicyContents(await definitions.getRevision(tenant, id, baseRevision));
      return (await definitions.update(tenant, id, before)).revision;
    },
  };
}
export type ApprovalEnforcement = ReturnType<typeof createApprovalEnforcement>;
