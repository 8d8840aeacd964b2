// Tells owners and admins that nine tenths of the month's decisions are used: once for a month and limit (document 3, section 4.9).
import type { mongo, Types } from 'mongoose';
import { warningThreshold } from '../../domain/billing/usage-summary.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { Models } from '../../models.ts';

const TYPE = 'system';
const LINK = '/billing';
const grouped = new Intl.NumberFormat('en-US');

export interface NearLimit {
  organizationId: string;
  month: string;
  limit: number;
  /** Whether what goes beyond is refused. */
  blocks: boolean;
}

/** In the session's transaction; does nothing when they were told before. */
export async function tellManagers(
  models: Models,
  { organizationId, month, limit, blocks }: NearLimit,
  session: mongo.ClientSession,
): Promise<void> {
  const threshold = warningThreshold(limit);
  const once = { organizationId, month, threshold };
  const { upsertedCount } = await models.limitNotices.updateOne(
    once,
    { $setOnInsert: once },
    { upsert: true, session },
  );
  if (upsertedCount === 0) return;
  const beyond = blocks ? 'Decisions beyond it are refused' : 'Decisions beyond it are billed';
  const text = {
    title: `${grouped.format(threshold)} decisions this month: 90 percent of the plan`,
    body: `The plan includes ${grouped.format(limit)} decisions in ${month}. ${beyond}.`,
  };
  const recipients = await managersOf(models, organizationId, session);
  await models.notifications.insertMany(
    recipients.map((userId) => ({ organizationId, userId, type: TYPE, link: LINK, ...text })),
    { session },
  );
}

/** Active owners and admins who have not opted out. */
async function managersOf(
  models: Models,
  organizationId: string,
  session: mongo.ClientSession,
): Promise<Types.ObjectId[]> {
  const here = { isActive: true, awaitsProof: { $ne: true }, isPending: { $ne: true } };
  const members = await models.memberships
    .find({ organizationId, role: { $in: [...MANAGERS] }, ...here }, 'userId', { session })
    .lean<{ userId: Types.ObjectId }[]>();
  const optedOut = { 'preferences.notificationOptOuts.inApp': TYPE };
  const told = await models.users
    .find({ _id: { $in: members.map(({ userId }) => userId) }, $nor: [optedOut] }, '_id', {
      session,
    })
    .lean<{ _id: Types.ObjectId }[]>();
  return told.map(({ _id }) => _id);
}
