// Caches the total of a list of decisions, and updates it by counting only the entries appended since.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../platform/platform.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { Page } from '../../domain/page.ts';
import { computeCountLimit, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { limitEntries } from '../../domain/entry-limit.ts';

type Deps = Pick<Platform, 'models' | 'ledger'>;

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

export function createTraceCounts({ models, ledger }: Deps) {
  const counts = new LRUCache<string, CachedCount>({
    ...limitEntries(CACHE_MAX),
    ttl: TTL_MS,
    noUpdateTTL: true,
  });

  /** Counts matches among new entries; null if they include amendments, which may change what was counted before. */
  async function countAdded(
    where: Filter,
    { sequence, to }: { sequence: Range; to: number },
  ): Promise<number | null> {
    const { organizationId } = where;
    const amendment = await models.ledger.exists({
      organizationId,
      sequence,
      kind: { $ne: 'trace' },
    });
    return amendment ? null : count({ ...where, sequence }, to);
  }

  async function count(where: Filter & { sequence: object }, to: number): Promise<number> {
    return models.traces.countDocuments(where).limit(to).maxTimeMS(READ_MAX_MS);
  }

  return {
    /** Counts the decisions that match the filter, up to the limit that a total has for the page. */
    async countTotal(where: Filter, page: Page): Promise<number> {
      const { organizationId } = where;
      const to = computeCountLimit(page);
      const key = sha256Hex(JSON.stringify(where));
      const head = (await ledger.appender.readHead(organizationId))?.sequence ?? 0;
      const cached = counts.get(key);
      const usable = cached && cached.total >= cached.to && cached.to < to ? undefined : cached;
      if (usable && usable.head >= head) return usable.total;
      const sequence = { $gt: usable?.head ?? 0, $lte: head };
      const added = usable ? await countAdded(where, { sequence, to }) : null;
      if (usable && added !== null) {
        counts.set(key, { total: usable.total + added, to: usable.to, head });
        return usable.total + added;
      }
      const total = await count({ ...where, sequence: { $lte: head } }, to);
      counts.delete(key);
      counts.set(key, { total, to, head });
      return total;
    },
  };
}
export type TraceCounts = ReturnType<typeof createTraceCounts>;
