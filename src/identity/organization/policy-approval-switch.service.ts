// Switches policy approvals on at once, and off after a second person confirms (decisions: switches that weaken).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { ControlRequest } from '../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { OrganizationDocument } from './organization.model.ts';
import type { settingsChange } from './organization.schemas.ts';
import type { Changer, SecondWords } from './second-words.service.ts';

interface Deps {
  secondWords: SecondWords;
}
type SettingsPatch = Partial<z.output<typeof settingsChange>> &
  Pick<OrganizationDocument, 'policyApprovalRelease'>;

const WEAKENING = { what: 'Policies may change without approval', link: '/settings/organization' };

export function createPolicyApprovalSwitch(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { secondWords }: Deps,
) {
  return {
    /** Returns the part of a change that takes effect now. */
    async settle(
      changer: Changer,
      { requirePolicyApproval: wanted, ...others }: z.output<typeof settingsChange>,
    ): Promise<SettingsPatch> {
      if (wanted === undefined) return others;
      const on = { ...others, requirePolicyApproval: wanted, policyApprovalRelease: null };
      if (wanted) return on;
      const found = await findOr404(
        models.organizations
          .findById(changer.tenant.organizationId, 'requirePolicyApproval policyApprovalRelease')
          .lean<Pick<OrganizationDocument, 'requirePolicyApproval' | 'policyApprovalRelease'>>(),
      );
      if (!found.requirePolicyApproval) return on;
      const asked = toReleaseRequest(found.policyApprovalRelease);
      const word = await secondWords.requestSecondWord(changer, { ...WEAKENING, asked });
      if (word === 'given') return on;
      if (word === 'waits') return others;
      const by = changer.user.userId as never;
      return { ...others, policyApprovalRelease: { by, at: clock.now() } };
    },
  };
}
export type PolicyApprovalSwitch = ReturnType<typeof createPolicyApprovalSwitch>;

export function toReleaseRequest(
  release: OrganizationDocument['policyApprovalRelease'],
): ControlRequest | null {
  return release ? { by: release.by.toHexString(), at: release.at } : null;
}
