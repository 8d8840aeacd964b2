// Caches the total of a list of decisions, and updates it by counting only the entries appended since.
import { LRUCache } from 'lru-cache';
import { limitEntries } from '../../domain/entry-limit.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { Page } from '../../domain/page.ts';
import { computeCountLimit, READ_MAX_MS } from '../../platform/mongo/queries.ts';

interface CachedCount {
  total: number;
  /** The limit up to which it was counted. */
  to: number;
  /** Entries up to this sequence are counted. */
  head: number;
}

type Filter = Readonly<Record<string, unknown>> & { organizationId: string };

interface Range {
  $gt: number;
  $lte: number;
}

const CACHE_MAX = 1000;
/** After this time the total is counted in full again: an amendment may not have been folded yet at the count. */
const TTL_MS = 10_000;

const openCounts = perInstance(
  () =>
    new LRUCache<string, CachedCount>({
      ...limitEntries(CACHE_MAX),
      ttl: TTL_MS,
      noUpdateTTL: true,
    }),
);

/** Counts the decisions that match the filter, up to the limit that a total has for the page. */
export async function countTraces(platform: Platform, where: Filter, page: Page): Promise<number> {
  const counts = openCounts(platform);
  const to = computeCountLimit(page);
  const key = sha256Hex(JSON.stringify(where));
  const head = (await platform.ledger.appender.readHead(where.organizationId))?.sequence ?? 0;
  const cached = counts.get(key);
  const usable = cached && cached.total >= cached.to && cached.to < to ? undefined : cached;
  if (usable && usable.head >= head) return usable.total;
  const added =
    usable &&
    (await countAdded(platform, where, { sequence: { $gt: usable.head, $lte: head }, to }));
  if (usable && typeof added === 'number') {
    const sum = usable.total + added;
    counts.set(key, { total: sum, to: usable.to, head });
    return sum;
  }
  const total = await countUpTo(platform, { ...where, sequence: { $lte: head } }, to);
  counts.delete(key);
  counts.set(key, { total, to, head });
  return total;
}

/** Counts matches among new entries; null if they include amendments, which may change what was counted before. */
async function countAdded(
  platform: Platform,
  where: Filter,
  { sequence, to }: { sequence: Range; to: number },
): Promise<number | null> {
  const { organizationId } = where;
  const amendment = await platform.models.ledger.exists({
    organizationId,
    sequence,
    kind: { $ne: 'trace' },
  });
  return amendment ? null : countUpTo(platform, { ...where, sequence }, to);
}

async function countUpTo(
  platform: Platform,
  where: Filter & { sequence: object },
  to: number,
): Promise<number> {
  return platform.models.traces.countDocuments(where).limit(to).maxTimeMS(READ_MAX_MS);
}
