// The timed job that reminds of held decisions whose deadline is near or has passed.
import type { Types } from 'mongoose';
import type { Audience } from '../../../../domain/events/announcement.ts';
import type { NoticeService } from '../../../../events/notifications/notices/notices.service.ts';
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { ReviewDeadlineDocument } from './review-deadlines.model.ts';
import { NOTICED_MEMBERS, type NoticedTrace, toHeldAbout } from './review-notice.ts';

interface Deps {
  notices: NoticeService;
}

/** Maximum number of reminders per run; the rest waits for the next. */
const BATCH = 500;

export function createReviewReminders(
  platform: Pick<Platform, 'models' | 'clock' | 'transaction' | 'logger'>,
  { notices }: Deps,
) {
  const { models, clock, transaction, logger } = platform;

  /** Moves on to the next stage, or ends; resolves with whether this call did it. */
  async function moveOn({
    _id,
    organizationId,
    stage,
    deadline,
  }: ReviewDeadlineDocument): Promise<boolean> {
    const where = { _id, organizationId, stage };
    if (stage === 'passed') return (await models.reviewDeadlines.deleteOne(where)).deletedCount > 0;
    const $set = { stage: 'passed', dueAt: deadline } as const;
    return (await models.reviewDeadlines.updateOne(where, { $set })).modifiedCount > 0;
  }

  async function sendReminder(row: ReviewDeadlineDocument): Promise<void> {
    const { organizationId, traceId, stage } = row;
    if (!(await moveOn(row))) return;
    const pending = { deletedAt: null, 'review.status': 'pending' } as const;
    const where = { organizationId, traceId, ...pending };
    const trace = await models.traces.findOne(where, NOTICED_MEMBERS).lean<NoticedTrace>();
    if (!trace) return;
    await notices.notify({
      organizationId: organizationId.toHexString(),
      event: stage === 'near' ? 'review.due' : 'review.overdue',
      audience: stage === 'near' ? findHandlers(trace) : { roles: REVIEWERS },
      about: [toHeldAbout(trace)],
    });
  }

  return {
    /** One that fails does not hold up the others. */
    async sendReminders(): Promise<void> {
      const due = await models.reviewDeadlines
        .find({ dueAt: { $lte: clock.now() } }, null, {
          crossTenant: true,
          sort: { dueAt: 1 },
          limit: BATCH,
        })
        .lean<ReviewDeadlineDocument[]>();
      for (const row of due)
        try {
          await transaction(() => sendReminder(row));
        } catch (error) {
          logger.error({ err: error, review: row._id }, 'a reminder of a review cannot be sent');
        }
    },
  };
}
export type ReviewReminders = ReturnType<typeof createReviewReminders>;

/** Those it was assigned or escalated to, else all reviewers. */
function findHandlers({ review }: NoticedTrace): Audience {
  const handlers = [review?.assignedTo, review?.escalatedTo].filter(
    (userId): userId is Types.ObjectId => userId != null,
  );
  if (handlers.length === 0) return { roles: REVIEWERS };
  return { userIds: handlers.map((userId) => userId.toHexString()) };
}
