// The timed job that reminds of reports whose deadline is near.
import { computeNearTime } from '../../domain/events/notices.ts';
import { findNextBreach } from '../../domain/incidents/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { notifyOfDeadline } from './clock-notices.ts';
import type { IncidentDocument } from './incidents.model.ts';

type Candidate = Pick<IncidentDocument, '_id' | 'organizationId'>;

/** Maximum number of incidents per run; the rest waits for the next. */
const BATCH = 500;
/** The longest time before a deadline at which a reminder is sent: a day. */
const AHEAD_MS = 24 * 3600_000;

/** One incident that fails does not hold up the others. */
export async function remindOfDeadlines(platform: Platform): Promise<void> {
  const { models, clock, transaction, logger } = platform;
  const now = clock.now();
  const until = new Date(now.getTime() + AHEAD_MS);
  const isNew = { $expr: { $ne: ['$remindedOf', '$breachAt'] } };
  const soon = await models.incidents
    .find({ breachAt: { $gt: now, $lte: until }, ...isNew }, '_id organizationId', {
      crossTenant: true,
      sort: { breachAt: 1 },
      limit: BATCH,
    })
    .lean<Candidate[]>();
  for (const incident of soon)
    try {
      await transaction(() => sendReminder(platform, incident));
    } catch (error) {
      logger.error({ err: error, incident: incident._id }, 'a reminder cannot be sent');
    }
}

/** Runs in one transaction, so that no reminder is sent twice. */
async function sendReminder(platform: Platform, { _id, organizationId }: Candidate): Promise<void> {
  const { models, clock } = platform;
  const incident = await models.incidents.findOne({ _id, organizationId }).lean<IncidentDocument>();
  const deadline = incident?.breachAt ?? null;
  if (!incident || deadline === null || incident.status === 'closed') return;
  const at = clock.now();
  const next = incident.clocks.find(
    (one) => findNextBreach([one])?.getTime() === deadline.getTime(),
  );
  const from = next?.clockStartedAt ?? incident.detectedAt;
  if (at < computeNearTime(from, deadline)) return;
  const where = { _id, organizationId, remindedOf: { $ne: deadline } };
  const { modifiedCount } = await models.incidents.updateOne(
    where,
    { $set: { remindedOf: deadline } },
    { timestamps: false },
  );
  if (modifiedCount === 0) return;
  const regulator = next?.regulator ?? 'regulator';
  await notifyOfDeadline(platform, incident, {
    event: 'incident.due',
    regulator,
    deadline,
    at,
  });
}
