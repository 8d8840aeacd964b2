// Starts the memory index of an organisation at its first search, and measures its lag.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../platform/platform.ts';
import { isDuplicateKey } from '../../../errors.ts';
import type { Consumers } from '../../../ledger/follow/consumers.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { measureIndexLag } from '../search/index-lag.ts';
import { type MemoryIndex, toIndexerName } from './memory-index.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';

interface Deps {
  memory: MemoryIndex;
  consumers: Pick<Consumers, 'wake'>;
}

/** Maximum number of organisations cached as having searched. */
const KNOWN = 10_000;

export function createMemoryIndexing(
  { models, ledger, clock }: Pick<Platform, 'models' | 'ledger' | 'clock'>,
  { memory, consumers }: Deps,
) {
  const known = new LRUCache<string, true>(limitEntries(KNOWN));

  async function noteFirst(organizationId: string): Promise<void> {
    const row = { organizationId, firstSearchedAt: clock.now() };
    await insertOne(models.memoryUses, row).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
    consumers.wake(organizationId);
  }

  return {
    /** Records the first search of an organisation; from then on all its decisions are indexed, older ones too. */
    async ensureIndexing(organizationId: string): Promise<void> {
      if (known.has(organizationId)) return;
      if (!(await models.memoryUses.exists({ organizationId }))) await noteFirst(organizationId);
      known.set(organizationId, true);
    },

    /** Number of newest entries that are not indexed yet. */
    measureLag: (organizationId: string): Promise<number> =>
      measureIndexLag({ models, ledger }, organizationId, toIndexerName(memory.model)),
  };
}
export type MemoryIndexing = ReturnType<typeof createMemoryIndexing>;
