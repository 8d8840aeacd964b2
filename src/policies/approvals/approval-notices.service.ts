// Notifies those who may take the next step of a policy change, and its author of what others did with it.
import { scrubStrictly } from '@assay/scrub';
import type { NoticeEvent } from '../../domain/events/notices.ts';
import { MANAGERS, REVIEWERS } from '../../domain/identity/roles.ts';
import { toPlainText } from '../../domain/names/plain-text.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { ApprovalState } from '../../domain/policies/changes/approval.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AccountReader } from '../../identity/auth/accounts/account-reader.service.ts';
import type {
  Audience,
  NoticeService,
} from '../../events/notifications/notices/notices.service.ts';
import { listSteps } from './approval-steps.ts';
import { parseApprovedContents } from './approved-contents.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

interface Deps {
  accountReader: AccountReader;
  notices: NoticeService;
}

const REASON_MAX = 300;

/** Texts for the author, by the state that others have brought the change to. */
const OUTCOMES: Partial<Record<ApprovalState, string>> = {
  approved_pending_enforcement: 'approved, and waits to be put into force',
  promoted: 'in force',
  rejected: 'rejected',
  broken_glass: 'put into force without a review',
};

export function createApprovalNotices(
  { clock }: Pick<Platform, 'clock'>,
  { accountReader, notices }: Deps,
) {
  async function findName(userId: string): Promise<string> {
    return toQuotedName((await accountReader.findName(userId)) ?? 'a former member');
  }

  const notify = (
    approval: PolicyApprovalDocument,
    event: NoticeEvent,
    { audience, title, body }: { audience: Audience; title: string; body: string },
  ): Promise<void> => {
    const name = toQuotedName(scrubStrictly(parseApprovedContents(approval).name));
    const link = `/console/policies/approvals/${approval._id.toHexString()}`;
    const notice = { title: `${title}: ${name}`, body, link };
    const organizationId = approval.organizationId.toHexString();
    return notices.notify({ organizationId, event, at: clock.now(), audience, notices: [notice] });
  };

  return {
    /** Call it in the transaction of the step. */
    async notifyOfStep(approval: PolicyApprovalDocument): Promise<void> {
      const audience = findNextActors(approval);
      const step = listSteps(approval).at(-1);
      if (!step) return;
      // It is an id in a new document, and its text in one that was just written.
      const by = String(step.by);
      const person = await findName(by);
      const { state } = approval;
      if (audience)
        await notify(approval, 'approval.waiting', {
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
      await notify(approval, 'approval.decided', {
        audience: { userIds: [author] },
        title: `Your change is ${outcome}`,
        body: `By ${person}.${why}`,
      });
    },
  };
}
export type ApprovalNotices = ReturnType<typeof createApprovalNotices>;

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
