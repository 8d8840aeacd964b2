// Renders what happens to reviews as stream events: their ends, which are entries, and who handles them, which is none.
import type { ReviewPayload, VotePayload } from '../../../domain/record/payload.ts';
import { findReviewEnd, type ReviewEnd } from '../../../domain/review/review-end.ts';
import { formatEventFrame } from '../../../domain/event-stream.ts';
import type { Stored } from '../../../ledger/entry.ts';
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { TraceFrame } from './trace-frames.ts';

type Subject = Pick<TraceDocument, 'traceId' | 'workspaceId' | 'agentId' | 'agentName' | 'review'>;

/** The members that an event shows. */
export const SUBJECT = 'traceId workspaceId agentId agentName review';

type End = Pick<Stored, 'sequence' | 'createdAt' | 'view' | 'traceId'>;

export interface ReviewChange {
  change: ReviewEnd | 'voted' | 'assigned' | 'escalated';
  at: Date;
  /** Who did it, or whom it was given to; null: the service, or no one. */
  by: string | null;
}

/** The frames of the entries among these that are votes or end a review; those of deleted decisions are left out. */
export async function readReviewFrames(
  models: Pick<Models, 'ledger' | 'traces'>,
  organizationId: string,
  entries: readonly Stored[],
): Promise<TraceFrame[]> {
  const sequences = entries
    .filter(({ kind }) => kind === 'review' || kind === 'vote')
    .map(({ sequence }) => sequence);
  if (sequences.length === 0) return [];
  const where = { organizationId, sequence: { $in: sequences } };
  const ends = await models.ledger.find(where, 'sequence traceId createdAt view').lean<End[]>();
  const traceIds = ends.map(({ traceId }) => traceId);
  const subjects = await models.traces
    .find({ organizationId, traceId: { $in: traceIds }, deletedAt: null }, SUBJECT)
    .lean<Subject[]>();
  const byTraceId = new Map(subjects.map((subject) => [subject.traceId, subject]));
  return ends.flatMap((end) => {
    const subject = byTraceId.get(end.traceId ?? '');
    return subject ? [toReviewFrame(subject, readChange(end), end.sequence)] : [];
  });
}

function readChange({ createdAt: at, view }: End): ReviewChange {
  const payload = JSON.parse(view) as ReviewPayload | VotePayload;
  const change = payload.kind === 'vote' ? 'voted' : findReviewEnd(payload);
  return { change, at, by: payload.actor.id };
}

/** Without a sequence the event has no id: a reader resumes from the entry before it. */
export function toReviewFrame(
  subject: Subject,
  { change, at, by }: ReviewChange,
  sequence?: number,
): TraceFrame {
  const { traceId, workspaceId, agentId, agentName, review } = subject;
  const data = {
    change,
    traceId,
    reviewId: review?._id.toHexString() ?? null,
    workspaceId,
    agentId,
    agentName,
    at: at.toISOString(),
    by,
  };
  const bytes = formatEventFrame('review', JSON.stringify(data), sequence);
  return { sequence: sequence ?? 0, workspaceId, agentId, traceId, bytes };
}
