// The timed job that reminds of held decisions whose deadline is near or has passed.
import type { Types } from 'mongoose';
import type { Platform } from '../../../../platform/platform.ts';
import type { ReviewDeadlineDocument } from './review-deadlines.model.ts';
import { NOTICED_MEMBERS, type NoticedTrace } from './review-notice.ts';
import {
  announceReviews,
  listAskedUsers,
  loadAskedReviews,
} from './review-announcements.service.ts';

/** Maximum number of reminders per run; the rest waits for the next. */
const BATCH = 500;

/** One that fails does not hold up the others. */
export async function sendReminders(platform: Platform): Promise<void> {
  const due = await platform.models.reviewDeadlines
    .find({ dueAt: { $lte: platform.clock.now() } }, null, {
      crossTenant: true,
      sort: { dueAt: 1 },
      limit: BATCH,
    })
    .lean<ReviewDeadlineDocument[]>();
  for (const row of due)
    try {
      await platform.transaction(() => sendReminder(platform, row));
    } catch (error) {
      platform.logger.error(
        { err: error, review: row._id },
        'a reminder of a review cannot be sent',
      );
    }
}

/** Moves on to the next stage, or ends; resolves with whether this call did it. */
async function moveOn(
  platform: Platform,
  { _id, organizationId, stage, deadline }: ReviewDeadlineDocument,
): Promise<boolean> {
  const where = { _id, organizationId, stage };
  if (stage === 'passed')
    return (await platform.models.reviewDeadlines.deleteOne(where)).deletedCount > 0;
  const $set = { stage: 'passed', dueAt: deadline } as const;
  return (await platform.models.reviewDeadlines.updateOne(where, { $set })).modifiedCount > 0;
}

async function sendReminder(platform: Platform, row: ReviewDeadlineDocument): Promise<void> {
  const { organizationId, traceId } = row;
  if (!(await moveOn(platform, row))) return;
  const pending = { deletedAt: null, 'review.status': 'pending' } as const;
  const where = { organizationId, traceId, ...pending };
  const trace = await platform.models.traces.findOne(where, NOTICED_MEMBERS).lean<NoticedTrace>();
  if (!trace) return;
  await remind(platform, row, trace);
}

async function remind(
  platform: Platform,
  { organizationId: owner, traceId, stage }: ReviewDeadlineDocument,
  trace: NoticedTrace,
): Promise<void> {
  const organizationId = owner.toHexString();
  const traceIds = trace.review?.approvals ? [traceId] : [];
  const [asked = null] = (await loadAskedReviews(platform, organizationId, traceIds)).values();
  const event = stage === 'near' ? 'review.due' : 'review.overdue';
  const handlers = stage === 'near' ? listHandlers(trace) : [];
  const userIds = handlers.length > 0 ? handlers : asked && listAskedUsers(asked);
  await announceReviews(platform, {
    organizationId,
    event,
    heard: [{ trace, asked, userIds }],
  });
}

/** Those it was assigned or escalated to. */
function listHandlers({ review }: NoticedTrace): string[] {
  const handlers = [review?.assignedTo, review?.escalatedTo].filter(
    (userId): userId is Types.ObjectId => userId != null,
  );
  return handlers.map((userId) => userId.toHexString());
}
