// The total of a list of decisions: counted in full once, then updated by counting only the entries appended since.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../composition/platform.ts';

type Deps = Pick<Platform, 'models' | 'ledger'>;

interface CachedCount {
  total: number;
  /** Entries up to this sequence are counted. */
  head: number;
}

interface Range {
  $gt: number;
  $lte: number;
}

const CACHE_MAX = 1000;
/** Then the total is counted in full again: an amendment may have been sealed and not yet folded when it was counted. */
const TTL_MS = 10_000;

export function createTraceCounts({ models, ledger }: Deps) {
  const counts = new LRUCache<string, CachedCount>({
    max: CACHE_MAX,
    ttl: TTL_MS,
    noUpdateTTL: true,
  });

  /** What the entries of a range add; null when there are amendments among them, which may change what was counted. */
  async function countAdded(
    organizationId: string,
    where: object,
    sequence: Range,
  ): Promise<number | null> {
    const amendment = await models.ledger.exists({
      organizationId,
      sequence,
      kind: { $ne: 'trace' },
    });
    return amendment ? null : models.traces.countDocuments({ ...where, organizationId, sequence });
  }

  return {
    /** The number of decisions that the filter finds. */
    async total(organizationId: string, where: Readonly<Record<string, unknown>>): Promise<number> {
      const key = `${organizationId}:${JSON.stringify(where)}`;
      const head = (await ledger.appender.head(organizationId))?.sequence ?? 0;
      const known = counts.get(key);
      if (known && known.head >= head) return known.total;
      const added = known
        ? await countAdded(organizationId, where, { $gt: known.head, $lte: head })
        : null;
      if (known && added !== null) {
        counts.set(key, { total: known.total + added, head });
        return known.total + added;
      }
      const total = await models.traces.countDocuments({
        ...where,
        organizationId,
        sequence: { $lte: head },
      });
      counts.delete(key);
      counts.set(key, { total, head });
      return total;
    },
  };
}
export type TraceCounts = ReturnType<typeof createTraceCounts>;
