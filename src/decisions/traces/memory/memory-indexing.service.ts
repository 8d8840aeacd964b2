// Starts the memory index of an organisation at its first search, and measures its lag.
import { LRUCache } from 'lru-cache';
import { getTraceNeighbours } from '../neighbours.service.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import { createMemoryWorker } from './memory-worker.ts';
import type { Platform } from '../../../platform/platform.ts';
import { isDuplicateKey } from '../../../errors.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import { measureIndexLag } from '../search/index-lag.ts';
import { toIndexerName } from './memory-index.ts';

/** Maximum number of organisations cached as having searched. */
const KNOWN = 10_000;

const openKnown = perInstance(() => new LRUCache<string, true>(limitEntries(KNOWN)));

export const openMemoryIndex = perInstance(createMemoryWorker);

/** Records the first search of an organisation; from then on all its decisions are indexed, older ones too. */
export async function ensureIndexing(platform: Platform, organizationId: string): Promise<void> {
  if (openKnown(platform).has(organizationId)) return;
  if (!(await platform.models.memoryUses.exists({ organizationId })))
    await noteFirst(platform, organizationId);
  openKnown(platform).set(organizationId, true);
}

/** Number of newest entries that are not indexed yet. */
export const measureVectorLag = (platform: Platform, organizationId: string): Promise<number> =>
  measureIndexLag(platform, organizationId, toIndexerName(openMemoryIndex(platform).model));

async function noteFirst(platform: Platform, organizationId: string): Promise<void> {
  const row = { organizationId, firstSearchedAt: platform.clock.now() };
  await insertOne(platform.models.memoryUses, row).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
  });
  getTraceNeighbours(platform).consumers.wake(organizationId);
}
