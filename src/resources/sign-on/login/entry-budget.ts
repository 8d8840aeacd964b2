// How many entries strangers can cause in an organisation's audit log: bounded by the hour, since a log only ever grows.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../composition/platform.ts';

const HOUR_MS = 3600_000;
const MAX_KEYS = 10_000;

/** What an entry is about, and from where it came: of one kind there are at most so many an hour. */
export interface NotedKind {
  organizationId: string;
  ip: string;
  kind: string;
}

export function createEntryBudget({ clock }: Pick<Platform, 'clock'>) {
  const spent = new LRUCache<string, { since: number; entries: number }>({ max: MAX_KEYS });
  return {
    /** Whether one more entry may be written; takes it from the budget. */
    take({ organizationId, ip, kind }: NotedKind, most: number): boolean {
      const key = JSON.stringify([organizationId, ip, kind]);
      const now = clock.now().getTime();
      const known = spent.get(key);
      const hour = known && now - known.since < HOUR_MS ? known : { since: now, entries: 0 };
      hour.entries += 1;
      spent.set(key, hour);
      return hour.entries <= most;
    },
  };
}
export type EntryBudget = ReturnType<typeof createEntryBudget>;
