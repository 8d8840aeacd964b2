// Decides whether a policy may be changed directly, or by approval only (decisions: approvals).
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import type { OrganizationService } from '../../identity/organization/organization.service.ts';
import type { PolicyChange } from '../policy-changes.service.ts';

export function createDirectEdits({ organizations }: { organizations: OrganizationService }) {
  return {
    /**
     * Always allows a change of a policy that is disabled before and after: it judges nothing.
     * @throws AppError `INVALID_OPERATION` where the organisation asks for approvals
     */
    async requireAllowed(
      { organizationId }: Tenant,
      { before, after }: PolicyChange,
    ): Promise<void> {
      if (before?.enabled !== true && after?.enabled !== true) return;
      const { requiresPolicyApproval } = await organizations.getContext(organizationId);
      if (requiresPolicyApproval)
        throw new AppError(
          'INVALID_OPERATION',
          'Enabled policies change by approval here: POST /policies/approvals',
        );
    },
  };
}
