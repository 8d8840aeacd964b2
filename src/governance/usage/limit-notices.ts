// Notifies managers that 90 percent of the month's decisions are used, once per month and limit (document 3, 4.9).
import type { mongo } from 'mongoose';
import { computeWarningThreshold } from '../../domain/billing/usage-summary.ts';
import type { Models } from '../../models.ts';
import type { ManagerNotices } from '../../events/notifications/manager-notices.service.ts';

const LINK = '/billing';
const grouped = new Intl.NumberFormat('en-US');

export interface NearLimit {
  organizationId: string;
  month: string;
  limit: number;
  /** Whether decisions beyond the limit are refused. */
  blocks: boolean;
}

/** Writes in the session's transaction; does nothing when they were notified before. */
export async function notifyNearLimit(
  { models, managerNotices }: { models: Models; managerNotices: ManagerNotices },
  { organizationId, month, limit, blocks }: NearLimit,
  session: mongo.ClientSession,
): Promise<void> {
  const threshold = computeWarningThreshold(limit);
  const once = { organizationId, month, threshold };
  const { upsertedCount } = await models.limitNotices.updateOne(
    once,
    { $setOnInsert: once },
    { upsert: true, session },
  );
  if (upsertedCount === 0) return;
  const beyond = blocks ? 'Decisions beyond it are refused' : 'Decisions beyond it are billed';
  const notice = {
    type: 'system',
    title: `${grouped.format(threshold)} decisions this month: 90 percent of the plan`,
    body: `The plan includes ${grouped.format(limit)} decisions in ${month}. ${beyond}.`,
    link: LINK,
  } as const;
  await managerNotices.notifyManagers(organizationId, notice, session);
}
