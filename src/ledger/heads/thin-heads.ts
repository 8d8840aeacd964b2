// Thins old notes of heads: one an hour is kept after an hour, one a day after a day.
import type { mongo, Types } from 'mongoose';
import type { HeadRow } from './heads.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Thins the notes of every organisation: of those older than an hour it keeps the newest of each hour, of those older
 * than a day the newest of each day. Returns the number of removed rows. `from` is the time of the last call: rows that
 * were an hour or a day old by then are thinned already, except in the slot that had not ended.
 */
export async function thinHeads(
  collection: mongo.Collection<HeadRow>,
  { from: last, now }: { from: Date; now: Date },
): Promise<number> {
  const hourAgo = now.getTime() - HOUR_MS;
  const dayAgo = now.getTime() - DAY_MS;
  const computeStart = (slotMs: number): number =>
    Math.max(0, Math.floor((last.getTime() - slotMs) / slotMs) * slotMs);
  const fromHour = Math.max(dayAgo, computeStart(HOUR_MS));
  const hours = await thinPeriod(collection, { from: fromHour, to: hourAgo, unit: 'hour' });
  const days = await thinPeriod(collection, {
    from: computeStart(DAY_MS),
    to: dayAgo,
    unit: 'day',
  });
  return hours + days;
}

/** Rows from `from` to before `to`, milliseconds since the epoch, by hour or by day. */
interface ThinnedPeriod {
  from: number;
  to: number;
  unit: 'hour' | 'day';
}

interface Slot {
  _id: { organizationId: Types.ObjectId; start: Date };
  newest: number;
}

async function thinPeriod(
  collection: mongo.Collection<HeadRow>,
  period: ThinnedPeriod,
): Promise<number> {
  const slotMs = period.unit === 'hour' ? HOUR_MS : DAY_MS;
  let removed = 0;
  for await (const { _id, newest } of collection.aggregate<Slot>(selectCrowdedSlots(period))) {
    const end = Math.min(_id.start.getTime() + slotMs, period.to);
    const { deletedCount } = await collection.deleteMany({
      organizationId: _id.organizationId,
      at: { $gte: _id.start, $lt: new Date(end) },
      sequence: { $lt: newest },
    });
    removed += deletedCount;
  }
  return removed;
}

/** Builds the query for the hours or days of an organisation with more than one row, with the newest of each. */
function selectCrowdedSlots({ from, to, unit }: ThinnedPeriod): mongo.Document[] {
  const start = { $dateTrunc: { date: '$at', unit } };
  return [
    { $match: { at: { $gte: new Date(from), $lt: new Date(to) } } },
    {
      $group: {
        _id: { organizationId: '$organizationId', start },
        newest: { $max: '$sequence' },
        rows: { $sum: 1 },
      },
    },
    { $match: { rows: { $gt: 1 } } },
  ];
}
