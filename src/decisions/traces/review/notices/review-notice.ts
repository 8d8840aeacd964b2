// What notices of held decisions are made from: names and deadlines alone, nothing that the decision says.
import type { EventAbout } from '../../../../domain/events/event-table.ts';
import type { VoteState } from '../../../../domain/review/approval-votes.ts';
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

/** `approvals`: how far they are where several people have to approve. */
export function toHeldAbout(
  { traceId, agentName, agentId, answer, review }: NoticedTrace,
  approvals: VoteState | null,
): EventAbout<'review.held'> {
  const agent = agentName ?? agentId;
  const policy = answer?.policy?.name;
  return { traceId, agent, policy, deadline: findDeadline(review), approvals };
}

/** When a person has to have decided: at the deadline, or before the hold ends by itself; null: never. */
export function findDeadline(
  review: Pick<ReviewItem, 'slaDeadline' | 'expiresAt'> | undefined,
): Date | null {
  const ends = [review?.slaDeadline, review?.expiresAt].filter((end) => end != null);
  return ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())));
}
