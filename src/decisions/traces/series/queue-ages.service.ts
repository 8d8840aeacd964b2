// How long what is held now has waited.
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { PlatformContext } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';

/** Those that wait longest; the rest is not counted. */
const COUNTED_MAX = 10_000;
const HOUR_MS = 3_600_000;
/** Upper bounds in hours; null: longer than all. */
export const AGE_HOURS = [1, 4, 24, 72, 168, null] as const;

export interface QueueAges {
  waiting: number;
  /** More wait than were counted. */
  truncated: boolean;
  /** Past their deadline. */
  overdue: number;
  oldestAt: Date | null;
  ages: { underHours: number | null; count: number }[];
}

interface Found {
  _id: null;
  waiting: number;
  overdue: number;
  oldestAt: Date;
  /** Counted by the number of bounds that the age has passed. */
  [passed: `age${number}`]: number;
}

export async function measureQueue({
  platform,
  tenant,
}: PlatformContext & {
  tenant: Pick<Tenant, 'organizationId' | 'workspaceId' | 'agentIds'>;
}): Promise<QueueAges> {
  const now = platform.clock.now();
  const pending = {
    organizationId: toObjectId(tenant.organizationId),
    'review.status': 'pending',
    ...createVisibilityFilter(tenant),
  };
  const [found] = await platform.models.traces.aggregate<Found>(
    [
      { $match: pending },
      { $sort: { sequence: 1 } },
      { $limit: COUNTED_MAX + 1 },
      { $group: { _id: null, ...sumAges(now) } },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  const ages = AGE_HOURS.map((underHours, at) => ({ underHours, count: found?.[`age${at}`] ?? 0 }));
  const { waiting = 0, overdue = 0, oldestAt = null } = found ?? {};
  return { waiting, truncated: waiting > COUNTED_MAX, overdue, oldestAt, ages };
}

function sumAges(now: Date) {
  const isYounger = (hours: number | null) =>
    hours === null ? true : { $gt: ['$createdAt', new Date(now.getTime() - hours * HOUR_MS)] };
  const sums = AGE_HOURS.map((hours, at) => {
    const isOlder = at === 0 ? true : { $not: [isYounger(AGE_HOURS[at - 1] ?? null)] };
    return [`age${at}`, { $sum: { $cond: [{ $and: [isYounger(hours), isOlder] }, 1, 0] } }];
  });
  const deadline = '$review.slaDeadline';
  const isOverdue = { $and: [{ $gt: [deadline, null] }, { $lt: [deadline, now] }] };
  return {
    waiting: { $sum: 1 },
    overdue: { $sum: { $cond: [isOverdue, 1, 0] } },
    oldestAt: { $min: '$createdAt' },
    ...(Object.fromEntries(sums) as Record<`age${number}`, object>),
  };
}
