// The indexing for the memory search: begun by an organisation's first search, and how far it has come.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../composition/platform.ts';
import { isDuplicateKey } from '../../../errors.ts';
import type { Consumers } from '../../../ledger/follow/consumers.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { indexLag } from '../search/index-lag.ts';
import { indexerOf } from './memory-index.ts';

type Deps = Pick<Platform, 'models' | 'memory' | 'ledger' | 'clock'> & {
  consumers: Pick<Consumers, 'wake'>;
};

/** Organisations of which this instance knows that they have searched. */
const KNOWN = 10_000;

export function createMemoryIndexing({ models, memory, ledger, clock, consumers }: Deps) {
  const known = new LRUCache<string, true>({ max: KNOWN });

  async function noteFirst(organizationId: string): Promise<void> {
    const row = { organizationId, firstSearchedAt: clock.now() };
    await insertOne(models.memoryUses, row).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
    consumers.wake(organizationId);
  }

  return {
    /** The organisation searches: its decisions are indexed from its first search on, the old ones too. */
    async begin(organizationId: string): Promise<void> {
      if (known.has(organizationId)) return;
      if (!(await models.memoryUses.exists({ organizationId }))) await noteFirst(organizationId);
      known.set(organizationId, true);
    },

    /** How many of the newest entries the index does not tell of yet. */
    behind: (organizationId: string): Promise<number> =>
      indexLag({ models, ledger }, organizationId, indexerOf(memory.model)),
  };
}
export type MemoryIndexing = ReturnType<typeof createMemoryIndexing>;
