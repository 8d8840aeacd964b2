// Changes automatic approvals: a looser setting needs a second person when policies change by approval only.
import type { Platform } from '../../../platform/platform.ts';
import type { AutoApproval } from '../../../domain/automatic-approval.ts';
import type { ControlRequest } from '../../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { OrganizationService } from '../organization.service.ts';
import type { Changer, SecondWords } from '../second-words.service.ts';
import type { WorkspaceDocument } from './workspaces.model.ts';
import type { WorkspaceChange } from './workspaces.schemas.ts';

interface Deps {
  organizations: OrganizationService;
  secondWords: SecondWords;
}
type StoredAutoApproval = Pick<WorkspaceDocument, 'name' | 'autoApproval' | 'autoApprovalRequest'>;

export function createAutoApprovalSwitch(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { organizations, secondWords }: Deps,
) {
  return {
    /** Returns the part of a change that takes effect now. @throws AppError `NOT_FOUND` */
    async settle(
      changer: Changer,
      _id: string,
      { autoApproval: wanted, ...others }: WorkspaceChange,
    ): Promise<WorkspaceChange & Pick<WorkspaceDocument, 'autoApprovalRequest'>> {
      if (wanted === undefined) return others;
      const now = { ...others, autoApproval: wanted, autoApprovalRequest: null };
      const { organizationId } = changer.tenant;
      const { requiresPolicyApproval } = await organizations.getContext(organizationId);
      if (wanted === null || !requiresPolicyApproval) return now;
      const found = await findOr404(
        models.workspaces
          .findOne({ _id, organizationId }, 'name autoApproval autoApprovalRequest')
          .lean<StoredAutoApproval>(),
      );
      if (!isLooser(wanted, found.autoApproval ?? null)) return now;
      const asked = toMatchingRequest(found.autoApprovalRequest, wanted);
      const what = `The service may approve held decisions in ${found.name}`;
      const word = await secondWords.requestSecondWord(changer, {
        what,
        link: '/settings/workspaces',
        asked,
      });
      if (word === 'given') return now;
      if (word === 'waits') return others;
      const by = changer.user.userId as never;
      return { ...others, autoApprovalRequest: { by, at: clock.now(), autoApproval: wanted } };
    },
  };
}
export type AutoApprovalSwitch = ReturnType<typeof createAutoApprovalSwitch>;

function isLooser(wanted: AutoApproval, current: AutoApproval | null): boolean {
  return !current || wanted.approvals < current.approvals || wanted.days < current.days;
}

/** Returns the earlier request if it is for the same setting. */
function toMatchingRequest(
  request: WorkspaceDocument['autoApprovalRequest'],
  { approvals, days }: AutoApproval,
): ControlRequest | null {
  const same = request?.autoApproval.approvals === approvals && request.autoApproval.days === days;
  return request && same ? { by: request.by.toHexString(), at: request.at } : null;
}
