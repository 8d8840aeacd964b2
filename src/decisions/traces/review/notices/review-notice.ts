// The words of notices about held decisions: names and deadlines alone, nothing that the decision says.
import { scrubStrictly } from '@assay/scrub';
import { formatTime, toReviewPage } from '../../../../domain/events/decision-card.ts';
import type { NoticeEvent } from '../../../../domain/events/notices.ts';
import { toQuotedName } from '../../../../domain/names/quoted-name.ts';
import type { Notice } from '../../../../events/notifications/notices/notices.service.ts';
import type { ReviewItem, TraceDocument } from '../../traces.model.ts';

export type NoticedTrace = Pick<TraceDocument, 'traceId' | 'agentId' | 'agentName' | 'review'> & {
  answer?: TraceDocument['answer'];
};

/** The members of a decision that a notice reads. */
export const NOTICED_MEMBERS = {
  traceId: 1,
  agentId: 1,
  agentName: 1,
  answer: 1,
  review: 1,
} as const;

const TITLES: Partial<Record<NoticeEvent, string>> = {
  'review.held': 'Waits for a person',
  'review.assigned': 'Assigned to you',
  'review.escalated': 'Escalated to you',
  'review.due': 'Review due soon',
  'review.overdue': 'Review overdue',
};

export function createReviewNotice(event: NoticeEvent, trace: NoticedTrace): Notice {
  const { traceId, agentName, agentId, answer, review } = trace;
  const agent = toQuotedName(scrubStrictly(agentName ?? agentId));
  const policy = answer?.policy?.name;
  const deadline = findDeadline(review);
  const sentences = [
    policy === undefined ? null : `Held by the policy ${toQuotedName(scrubStrictly(policy))}.`,
    deadline && `Decide by ${formatTime(deadline)}.`,
  ];
  return {
    title: `${TITLES[event] ?? event}: a decision of ${agent}`,
    body: sentences.filter((sentence) => sentence !== null).join(' '),
    link: toReviewPage(traceId),
    subject: traceId,
    about: { traceId },
  };
}

/** When a person has to have decided: at the deadline, or before the hold ends by itself; null: never. */
export function findDeadline(
  review: Pick<ReviewItem, 'slaDeadline' | 'expiresAt'> | undefined,
): Date | null {
  const ends = [review?.slaDeadline, review?.expiresAt].filter((end) => end != null);
  return ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())));
}
