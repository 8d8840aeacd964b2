// Notifies those who may take the next step of a change, and its author of what others did with it.
import type { Audience } from '../../domain/events/announcement.ts';
import { MANAGERS, REVIEWERS } from '../../domain/identity/roles.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { ApprovalState } from '../../domain/policies/changes/approval.ts';
import type { Platform } from '../../platform/platform.ts';
import { findUserName } from '../../identity/auth/accounts/account-reader.service.ts';
import { listSteps } from './approval-steps.ts';
import { toNoticeName } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';
import { notify } from '../../events/notifications/notices/notices.service.ts';

/** Texts for the author, by the state that others have brought the change to. */
const OUTCOMES: Partial<Record<ApprovalState, string>> = {
  approved_pending_enforcement: 'approved, and waits to be put into force',
  promoted: 'in force',
  rejected: 'rejected',
  broken_glass: 'put into force without a review',
};

/** Notifies of the newest step. Call it in the transaction of the step. */
export async function notifyOfStep(
  platform: Platform,
  approval: PolicyApprovalDocument,
): Promise<void> {
  const next = findNextActors(approval);
  const step = listSteps(approval).at(-1);
  if (!step) return;
  // It is an id in a new document, and its text in one that was just written.
  const by = String(step.by);
  const { state } = approval;
  const organizationId = approval.organizationId.toHexString();
  const about = {
    approvalId: approval._id.toHexString(),
    policy: toNoticeName(approval),
    by: await findPersonName(platform, by),
  };
  if (next)
    await notify(platform, {
      organizationId,
      event: 'approval.waiting',
      audience: { ...next, except: [...(next.except ?? []), by] },
      about: [{ ...about, isReviewed: state === 'approved_pending_enforcement' }],
    });
  await notifyAuthor(platform, approval, { ...about, userId: by });
}

/** Tells the author what others did with the change. */
async function notifyAuthor(
  platform: Platform,
  { organizationId, author, state, lastAction }: PolicyApprovalDocument,
  { userId, ...about }: { userId: string; approvalId: string; policy: string; by: string },
): Promise<void> {
  const writer = author.toHexString();
  const outcome = OUTCOMES[state];
  if (outcome === undefined || writer === userId) return;
  await notify(platform, {
    organizationId: organizationId.toHexString(),
    event: 'approval.decided',
    audience: { userIds: [writer] },
    about: [{ ...about, outcome, reason: lastAction?.reason ?? null }],
  });
}

async function findPersonName(platform: Platform, userId: string): Promise<string> {
  const name = await findUserName(platform, userId);
  return toQuotedName(name ?? 'a former member');
}

/** Those who may take the next step; null: it waits for no one, or for its author alone. */
function findNextActors({
  state,
  author,
  reviewer,
  enforcer,
}: PolicyApprovalDocument): Audience | null {
  const writer = author.toHexString();
  if (state === 'pending_review') return { roles: REVIEWERS, except: [writer] };
  if (state === 'broken_glass')
    return { roles: REVIEWERS, except: [writer, enforcer?.toHexString() ?? null] };
  if (state !== 'approved_pending_enforcement') return null;
  return { roles: MANAGERS, except: [writer, reviewer?.toHexString() ?? null] };
}
