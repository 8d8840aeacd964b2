// Switches policy approvals on at once, and off after a second person confirms (decisions: switches that weaken).
import type { z } from 'zod';
import type { ControlRequest } from '../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { OrganizationDocument } from './organization.model.ts';
import type { settingsChange } from './organization.schemas.ts';
import { requestSecondWord } from './second-words.service.ts';
import type { UserContext } from '../../platform/context.ts';

type SettingsPatch = Partial<z.output<typeof settingsChange>> &
  Pick<OrganizationDocument, 'policyApprovalRelease'>;

const WEAKENING = { what: 'Policies may change without approval', link: '/settings/organization' };

/** Returns the part of a change that takes effect now. */
export async function settlePolicyApproval(
  ctx: UserContext,
  { requirePolicyApproval: wanted, ...others }: z.output<typeof settingsChange>,
): Promise<SettingsPatch> {
  const { platform } = ctx;
  if (wanted === undefined) return others;
  const on = { ...others, requirePolicyApproval: wanted, policyApprovalRelease: null };
  if (wanted) return on;
  const found = await findOr404(
    platform.models.organizations
      .findById(ctx.tenant.organizationId, 'requirePolicyApproval policyApprovalRelease')
      .lean<Pick<OrganizationDocument, 'requirePolicyApproval' | 'policyApprovalRelease'>>(),
  );
  if (!found.requirePolicyApproval) return on;
  const asked = toReleaseRequest(found.policyApprovalRelease);
  const word = await requestSecondWord(ctx, { ...WEAKENING, asked });
  if (word === 'given') return on;
  if (word === 'waits') return others;
  const by = ctx.user.userId as never;
  return { ...others, policyApprovalRelease: { by, at: platform.clock.now() } };
}

export function toReleaseRequest(
  release: OrganizationDocument['policyApprovalRelease'],
): ControlRequest | null {
  return release ? { by: release.by.toHexString(), at: release.at } : null;
}
