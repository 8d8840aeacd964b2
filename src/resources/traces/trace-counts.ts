// How many decisions a list has: counted once, then kept up to date by counting only what the chain has grown by.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../composition/platform.ts';

type Deps = Pick<Platform, 'models' | 'ledger'>;

interface Counted {
  total: number;
  /** Entries up to here were looked at. */
  head: number;
}

interface Range {
  $gt: number;
  $lte: number;
}

const CACHE_MAX = 1000;
/** Then all is counted anew: a later fact may have been sealed and not yet shown when it was counted. */
const TTL_MS = 10_000;

export function createTraceCounts({ models, ledger }: Deps) {
  const counts = new LRUCache<string, Counted>({ max: CACHE_MAX, ttl: TTL_MS, noUpdateTTL: true });

  /** What to add to a count; null when later facts may have changed what it was made of. */
  async function growth(
    organizationId: string,
    where: object,
    sequence: Range,
  ): Promise<number | null> {
    const fact = await models.ledger.exists({ organizationId, sequence, kind: { $ne: 'trace' } });
    return fact ? null : models.traces.countDocuments({ ...where, organizationId, sequence });
  }

  return {
    /** The number of decisions that the filter finds. */
    async total(organizationId: string, where: Readonly<Record<string, unknown>>): Promise<number> {
      const key = `${organizationId}:${JSON.stringify(where)}`;
      const head = (await ledger.appender.head(organizationId))?.sequence ?? 0;
      const known = counts.get(key);
      if (known && known.head >= head) return known.total;
      const grown = known
        ? await growth(organizationId, where, { $gt: known.head, $lte: head })
        : null;
      if (known && grown !== null) {
        counts.set(key, { total: known.total + grown, head });
        return known.total + grown;
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
