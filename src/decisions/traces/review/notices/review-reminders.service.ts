// The timed job that reminds of held decisions whose deadline is near or has passed.
import type { Types } from 'mongoose';
import type { Audience } from '../../../../domain/events/announcement.ts';
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { ReviewDeadlineDocument } from './review-deadlines.model.ts';
import { NOTICED_MEMBERS, type NoticedTrace, toHeldAbout } from './review-notice.ts';
import { notify } from '../../../../events/notifications/notices/notices.service.ts';

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
  const { organizationId, traceId, stage } = row;
  if (!(await moveOn(platform, row))) return;
  const pending = { deletedAt: null, 'review.status': 'pending' } as const;
  const where = { organizationId, traceId, ...pending };
  const trace = await platform.models.traces.findOne(where, NOTICED_MEMBERS).lean<NoticedTrace>();
  if (!trace) return;
  await notify(platform, {
    organizationId: organizationId.toHexString(),
    event: stage === 'near' ? 'review.due' : 'review.overdue',
    audience: stage === 'near' ? findHandlers(trace) : { roles: REVIEWERS },
    about: [toHeldAbout(trace)],
  });
}

/** Those it was assigned or escalated to, else all reviewers. */
function findHandlers({ review }: NoticedTrace): Audience {
  const handlers = [review?.assignedTo, review?.escalatedTo].filter(
    (userId): userId is Types.ObjectId => userId != null,
  );
  if (handlers.length === 0) return { roles: REVIEWERS };
  return { userIds: handlers.map((userId) => userId.toHexString()) };
}
