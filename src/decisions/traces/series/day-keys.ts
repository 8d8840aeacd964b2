// The keys of a dimension that days have counts of already: names that callers choose have places while there is room.
import type { ClientSession } from 'mongoose';
import { groupBy } from '../../../domain/group-by.ts';
import { floorToBucket } from '../../../domain/series.ts';
import type { Models } from '../../../models.ts';
import type { Dimension } from './decision-counts.model.ts';

/** The transaction of a consumer. */
interface Context {
  organizationId: string;
  session: ClientSession;
}

/** The day that a time lies in, as a number. */
export const toDay = (at: Date): number => floorToBucket(at, 'day').getTime();

/** Keys by day; days without any are missing. */
export async function loadDayKeys(
  models: Models,
  { dimension, days }: { dimension: Dimension; days: readonly number[] },
  { organizationId, session }: Context,
): Promise<Map<number, string[]>> {
  if (days.length === 0) return new Map();
  const at = { $in: days.map((day) => new Date(day)) };
  // The index has all of it.
  const rows = await models.decisionCounts
    .find({ organizationId, dimension, unit: 'day', at }, { _id: 0, at: 1, key: 1 })
    .session(session)
    .lean<{ at: Date; key: string }[]>();
  const byDay = groupBy(rows, (row) => row.at.getTime());
  return new Map([...byDay].map(([day, counted]) => [day, counted.map(({ key }) => key)]));
}
