// Announces what is new of held decisions: to those who may approve them, and after votes to those whose step they opened.
import type { mongo } from 'mongoose';
import { groupBy } from '../../../../domain/group-by.ts';
import { listOpenVoters } from '../../../../domain/review/approval-votes.ts';
import { settleNotices } from '../../../../events/notifications/notices/notices.service.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { TraceDocument } from '../../traces.model.ts';
import type { StoredBallot } from '../approvals/approvals.service.ts';
import {
  announceReviews,
  type AskedReview,
  type HeardReview,
  listAskedUsers,
  loadAskedReviews,
} from './review-announcements.service.ts';

interface Context {
  session: mongo.ClientSession;
  organizationId: string;
}

/** Entries of the chain, in its order, about reviews that they do not end. */
interface News {
  held: readonly TraceDocument[];
  votes: readonly TraceDocument[];
}

export async function announceNews(
  platform: Platform,
  { held, votes }: News,
  { session, organizationId }: Context,
): Promise<void> {
  const newest = [...held, ...votes].map(({ createdAt }) => createdAt.getTime());
  if (newest.length === 0) return;
  const asked = await loadAskedNews(platform, organizationId, { held, votes });
  for (const { review, sequences } of asked) {
    const userIds = listVoters(review.ballot, sequences);
    const settled = { organizationId, subjects: [review.trace.traceId], userIds };
    if (userIds.length > 0) await settleNotices(platform, settled, session);
  }
  const plain = held.filter(({ review }) => !review?.approvals).map(toHeardByAll);
  const heard = [...plain, ...asked.flatMap((news) => findHearers(news) ?? [])];
  const at = new Date(Math.max(...newest));
  await announceReviews(platform, { organizationId, event: 'review.held', at, heard }, session);
}

/** What is new of a decision that several people have to approve. */
interface AskedNews {
  review: AskedReview;
  /** The votes that are new. */
  sequences: readonly number[];
  /** Whether it was held just now. */
  isNew: boolean;
}

async function loadAskedNews(
  platform: Platform,
  organizationId: string,
  { held, votes }: News,
): Promise<AskedNews[]> {
  const several = held.filter(({ review }) => review?.approvals);
  const traceIds = new Set([...several, ...votes].map(({ traceId }) => traceId));
  const found = await loadAskedReviews(platform, organizationId, [...traceIds]);
  const votesOn = groupBy(votes, ({ traceId }) => traceId);
  const isNew = new Set(several.map(({ traceId }) => traceId));
  return [...found].map(([traceId, review]) => ({
    review,
    sequences: (votesOn.get(traceId) ?? []).map(({ sequence }) => sequence),
    isNew: isNew.has(traceId),
  }));
}

const toHeardByAll = (trace: TraceDocument): HeardReview => ({
  trace,
  asked: null,
  userIds: null,
});

/** Null: all who may approve by now could before the votes. */
function findHearers({ review, sequences, isNew }: AskedNews): HeardReview | null {
  const { trace, approvals, ballot } = review;
  const asked = { ...review, ballot: countUntil(ballot, sequences.at(-1) ?? trace.sequence) };
  const now = listAskedUsers(asked);
  if (isNew) return { trace, asked, userIds: now };
  const before = new Set(listOpenVoters(approvals, countUntil(ballot, (sequences[0] ?? 0) - 1)));
  const userIds = (now ?? []).filter((userId) => !before.has(userId));
  return userIds.length === 0 ? null : { trace, asked, userIds };
}

const countUntil = (ballot: StoredBallot, last: number): StoredBallot => ({
  ...ballot,
  votes: ballot.votes.filter(({ sequence }) => sequence <= last),
});

const listVoters = ({ votes }: StoredBallot, sequences: readonly number[]): string[] =>
  votes.filter(({ sequence }) => sequences.includes(sequence)).map(({ userId }) => userId);
