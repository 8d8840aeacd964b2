// Notifies reviewers of held decisions, and clears what was shown once there is a verdict or an erasure.
import type { mongo } from 'mongoose';
import { computeNearTime } from '../../../../domain/events/notices.ts';
import type { Consumer } from '../../../../ledger/follow/consumer.ts';
import { dropErased } from '../../../../ledger/follow/without-erased.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { findDeadline, NOTICED_MEMBERS } from './review-notice.ts';
import { announceNews } from './review-news.service.ts';
import type { Platform } from '../../../../platform/platform.ts';
import {
  settleNotices,
  deleteNotices,
} from '../../../../events/notifications/notices/notices.service.ts';

interface Context {
  session: mongo.ClientSession;
  organizationId: string;
}

export function createReviewNoticesConsumer(platform: Platform): Consumer<TraceDocument> {
  return {
    name: 'review-notices',
    from: 'head',
    kinds: ['trace', 'vote', 'review', 'erasure'],
    projection: { ...NOTICED_MEMBERS, sequence: 1, createdAt: 1, erasedAt: 1 },
    async consume(entries, context) {
      const { organizationId, session } = context;
      const kept = await dropErased(entries, platform.outbox, context);
      const reviewed = listTraceIds(entries.filter(({ kind }) => kind === 'review'));
      const erased = listTraceIds(entries.filter(({ kind }) => kind === 'erasure'));
      const settled = new Set([...reviewed, ...erased]);
      const open = kept.filter(({ traceId }) => !settled.has(traceId));
      await keepDeadlines(platform, open, context);
      await announceNews(platform, toNews(open), context);
      if (settled.size > 0) await dropDeadlines(platform, [...settled], context);
      if (reviewed.length > 0)
        await settleNotices(platform, { organizationId, subjects: reviewed }, session);
      if (erased.length === 0) return;
      await deleteNotices(platform, { organizationId, subjects: erased }, session);
      const about = { organizationId, traceId: { $in: erased } };
      await platform.models.reviewLinks.deleteMany(about, { session });
    },
  };
}

const listTraceIds = (entries: readonly TraceDocument[]): string[] =>
  entries.map(({ traceId }) => traceId);

const isWaiting = ({ kind, review }: TraceDocument): boolean =>
  kind === 'trace' && review?.status === 'pending';

const toNews = (open: readonly TraceDocument[]) => ({
  held: open.filter(isWaiting),
  votes: open.filter(({ kind }) => kind === 'vote'),
});

async function keepDeadlines(
  platform: Platform,
  open: readonly TraceDocument[],
  { session, organizationId }: Context,
): Promise<void> {
  const deadlines = open
    .filter(isWaiting)
    .flatMap((trace) => createDeadline(organizationId, trace));
  if (deadlines.length > 0) await platform.models.reviewDeadlines.bulkWrite(deadlines, { session });
}

/** Writes the reminder of a decision that has a deadline; again without effect. */
function createDeadline(organizationId: string, { traceId, review, createdAt }: TraceDocument) {
  const deadline = findDeadline(review);
  if (!review || deadline === null) return [];
  const dueAt = computeNearTime(createdAt, deadline);
  const $setOnInsert = { traceId, stage: 'near', dueAt, deadline } as const;
  const filter = { _id: review._id, organizationId };
  return [{ updateOne: { filter, update: { $setOnInsert }, upsert: true } }];
}

async function dropDeadlines(
  { models }: Platform,
  traceIds: readonly string[],
  { session, organizationId }: Context,
): Promise<void> {
  const where = { organizationId, traceId: { $in: [...traceIds] } };
  await models.reviewDeadlines.deleteMany(where, { session });
}
