// Limits the audit entries per hour that strangers can cause in an organisation's log, which only ever grows.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../platform/platform.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';
import { perInstance } from '../../../platform/per-instance.ts';

const HOUR_MS = 3600_000;
const MAX_KEYS = 10_000;

/** The subject and origin of an entry; the limit per hour applies to each kind. */
export interface AuditedKind {
  organizationId: string;
  ip: string;
  kind: string;
}

const openSpentEntries = perInstance(
  () => new LRUCache<string, { since: number; entries: number }>(limitEntries(MAX_KEYS)),
);

/** Takes one entry from the budget; returns whether it may be written. */
export function takeAuditEntry(
  platform: Platform,
  { organizationId, ip, kind }: AuditedKind,
  most: number,
): boolean {
  const key = JSON.stringify([organizationId, ip, kind]);
  const now = platform.clock.now().getTime();
  const spent = openSpentEntries(platform);
  const known = spent.get(key);
  const hour = known && now - known.since < HOUR_MS ? known : { since: now, entries: 0 };
  hour.entries += 1;
  spent.set(key, hour);
  return hour.entries <= most;
}
