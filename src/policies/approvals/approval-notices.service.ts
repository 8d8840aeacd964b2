// Notifies those who may take the next step of a policy change, and its author of what others did with it.
import { scrubStrictly } from '@assay/scrub';
import type { NoticeEvent } from '../../domain/events/notices.ts';
import { MANAGERS, REVIEWERS } from '../../domain/identity/roles.ts';
import { toPlainText } from '../../domain/names/plain-text.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { ApprovalState } from '../../domain/policies/changes/approval.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Audience } from '../../events/notifications/notices/notices.service.ts';
import { getNeighbours } from '../neighbours.ts';
import { listSteps } from './approval-steps.ts';
import { parseApprovedContents } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

const REASON_MAX = 300;

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
  const audience = findNextActors(approval);
  const step = listSteps(approval).at(-1);
  if (!step) return;
  // It is an id in a new document, and its text in one that was just written.
  const by = String(step.by);
  const person = await findPersonName(platform, by);
  const { state } = approval;
  if (audience)
    await notify(platform, approval, {
      event: 'approval.waiting',
      audience: { ...audience, except: [...(audience.except ?? []), by] },
      title:
        state === 'approved_pending_enforcement'
          ? 'Waits to be put into force'
          : 'Waits for your review',
      body: `The last step was taken by ${person}.`,
    });
  const author = approval.author.toHexString();
  const outcome = OUTCOMES[state];
  if (outcome === undefined || author === by) return;
  const reason = approval.lastAction?.reason ?? null;
  const why = reason === null ? '' : ` ${toPlainText(scrubStrictly(reason), REASON_MAX)}`;
  await notify(platform, approval, {
    event: 'approval.decided',
    audience: { userIds: [author] },
    title: `Your change is ${outcome}`,
    body: `By ${person}.${why}`,
  });
}

async function findPersonName(platform: Platform, userId: string): Promise<string> {
  const { accountReader } = getNeighbours(platform);
  return toQuotedName((await accountReader.findName(userId)) ?? 'a former member');
}

function notify(
  platform: Platform,
  approval: PolicyApprovalDocument,
  message: { event: NoticeEvent; audience: Audience; title: string; body: string },
): Promise<void> {
  const { event, audience, title, body } = message;
  const name = toQuotedName(scrubStrictly(parseApprovedContents(approval).name));
  const link = `/console/policies/approvals/${approval._id.toHexString()}`;
  const notices = [{ title: `${title}: ${name}`, body, link }];
  const organizationId = approval.organizationId.toHexString();
  const at = platform.clock.now();
  return getNeighbours(platform).notices.notify({ organizationId, event, at, audience, notices });
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
