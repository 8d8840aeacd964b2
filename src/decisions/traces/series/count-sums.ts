// Adds up what a run of entries counts, so that each count is written once.
import { type Bucket, floorToBucket, HOURS_KEPT_DAYS } from '../../../domain/series.ts';
import type { Dimension } from './decision-counts.model.ts';

/** What is counted, and when. */
export interface Counted {
  workspaceId: string;
  dimension: Dimension;
  at: Date;
  key: string;
}

interface CountRow extends Counted {
  unit: Bucket;
  count: number;
}

const DAY_MS = 86_400_000;

/** Charts show hours of any time; what is else summed over long spans is counted by days as well. */
const UNITS: Readonly<Record<Dimension, readonly Bucket[]>> = {
  verdict: ['hour'],
  agent: ['hour'],
  confidence: ['hour', 'day'],
  wait: ['hour', 'day'],
  path: ['hour', 'day'],
  tool: ['hour', 'day'],
};

export class CountSums {
  readonly #rows = new Map<string, CountRow>();

  addCount({ workspaceId, dimension, at: time, key }: Counted, by: 1 | -1 = 1): void {
    for (const unit of UNITS[dimension]) {
      const at = floorToBucket(time, unit);
      const place = `${dimension} ${unit} ${at.getTime()} ${workspaceId} ${key}`;
      const row = this.#rows.get(place);
      if (row) row.count += by;
      else this.#rows.set(place, { workspaceId, dimension, unit, at, key, count: by });
    }
  }

  /** Counts that stay as they are are not written. */
  toUpdates(organizationId: string) {
    const changed = [...this.#rows.values()].filter(({ count }) => count !== 0);
    return changed.map(({ count, ...row }) => {
      const $setOnInsert = findExpiry(row);
      const update = { $inc: { count }, ...($setOnInsert && { $setOnInsert }) };
      return { updateOne: { filter: { organizationId, ...row }, update, upsert: true } };
    });
  }
}

function findExpiry({ dimension, unit, at }: Omit<CountRow, 'count'>): { expiresAt: Date } | null {
  const isRepeated = unit === 'hour' && UNITS[dimension].length > 1;
  return isRepeated ? { expiresAt: new Date(at.getTime() + HOURS_KEPT_DAYS * DAY_MS) } : null;
}
