// Puts an approved change of a policy into force, and takes back what was in force without a review (decisions: approvals).
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { contentsOf } from '../policies.model.ts';
import type { PolicyService, PolicyView } from '../policies.service.ts';
import { approvedContents } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

/** What of an approval putting it into force settles. */
export type Enforced = Partial<Pick<PolicyApprovalDocument, 'policyId' | 'promotedRevision'>>;

/** `definitions`: those that ask for no approval any more. */
export function createApprovalEnforcement({ definitions }: { definitions: PolicyService }) {
  /** Null: it is removed. */
  async function live(tenant: Tenant, id: string): Promise<PolicyView | null> {
    try {
      return await definitions.get(tenant, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  async function applied(tenant: Tenant, approval: PolicyApprovalDocument): Promise<PolicyView> {
    const contents = approvedContents(approval);
    const { policyId, baseRevision, workspaceId } = approval;
    if (policyId === null)
      return definitions.create(tenant, { ...contents, workspaceId: workspaceId.toHexString() });
    const id = policyId.toHexString();
    if ((await live(tenant, id))?.revision !== baseRevision)
      throw new AppError(
        'INVALID_OPERATION',
        'The policy has changed since; its author takes that up by editing the change',
      );
    return definitions.update(tenant, id, contents);
  }

  return {
    /** @throws AppError `INVALID_OPERATION` when the policy has changed since, and beyond the workspace's limits */
    async enforce(tenant: Tenant, approval: PolicyApprovalDocument): Promise<Enforced> {
      const { _id: policyId, revision: promotedRevision } = await applied(tenant, approval);
      return { policyId, promotedRevision };
    },

    /** The revision by which the policy is again what it was; null: it has changed since. @throws AppError `INVALID_OPERATION` beyond the workspace's limits */
    async undo(
      tenant: Tenant,
      { policyId, baseRevision, promotedRevision }: PolicyApprovalDocument,
    ): Promise<number | null> {
      const id = policyId?.toHexString() ?? '';
      const current = (await live(tenant, id))?.revision;
      if (promotedRevision === null || current !== promotedRevision) return null;
      if (baseRevision === null) {
        await definitions.remove(tenant, id);
        return promotedRevision + 1;
      }
      const before = contentsOf(await definitions.revision(tenant, id, baseRevision));
      return (await definitions.update(tenant, id, before)).revision;
    },
  };
}
export type ApprovalEnforcement = ReturnType<typeof createApprovalEnforcement>;
