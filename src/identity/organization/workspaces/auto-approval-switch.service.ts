// Changes automatic approvals: a looser setting needs a second person when policies change by approval only.
import type { AutoApproval } from '../../../domain/automatic-approval.ts';
import type { ControlRequest } from '../../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { getOrganizationContext } from '../organization.service.ts';
import { requestSecondWord } from '../second-words.service.ts';
import type { WorkspaceDocument } from './workspaces.model.ts';
import type { WorkspaceChange } from './workspaces.schemas.ts';
import type { UserContext } from '../../../platform/context.ts';

type StoredAutoApproval = Pick<WorkspaceDocument, 'name' | 'autoApproval' | 'autoApprovalRequest'>;

/** Returns the part of a change that takes effect now. @throws AppError `NOT_FOUND` */
export async function settleAutoApproval(
  ctx: UserContext,
  _id: string,
  { autoApproval: wanted, ...others }: WorkspaceChange,
): Promise<WorkspaceChange & Pick<WorkspaceDocument, 'autoApprovalRequest'>> {
  const { platform } = ctx;
  if (wanted === undefined) return others;
  const now = { ...others, autoApproval: wanted, autoApprovalRequest: null };
  const { organizationId } = ctx.tenant;
  const { requiresPolicyApproval } = await getOrganizationContext(platform, organizationId);
  if (wanted === null || !requiresPolicyApproval) return now;
  const found = await findOr404(
    platform.models.workspaces
      .findOne({ _id, organizationId }, 'name autoApproval autoApprovalRequest')
      .lean<StoredAutoApproval>(),
  );
  if (!isLooser(wanted, found.autoApproval ?? null)) return now;
  const asked = toMatchingRequest(found.autoApprovalRequest, wanted);
  const what = `The service may approve held decisions in ${found.name}`;
  const word = await requestSecondWord(ctx, {
    what,
    link: '/settings/workspaces',
    asked,
  });
  if (word === 'given') return now;
  if (word === 'waits') return others;
  const by = ctx.user.userId as never;
  return { ...others, autoApprovalRequest: { by, at: platform.clock.now(), autoApproval: wanted } };
}

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
