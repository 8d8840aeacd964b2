// The caches of one instance: each belongs to one service; all drop the entries of a deleted organisation.
import { type Cache, createCache } from './cache.ts';
import type { ChangeFeed } from './change-feed.ts';

export interface Caches {
  /** `collections` are those whose changes make entries stale. */
  openCache<V>(options: { collections: readonly string[]; max: number }): Cache<V>;
  forget(organizationId: string): void;
}

export function createCaches(feed: ChangeFeed): Caches {
  const opened: Pick<Cache<unknown>, 'invalidate'>[] = [];
  return {
    openCache<V>({ collections, max }: { collections: readonly string[]; max: number }): Cache<V> {
      const cache = createCache<V>({ feed, collections, max });
      opened.push(cache);
      return cache;
    },
    forget(organizationId) {
      for (const cache of opened) cache.invalidate(organizationId);
    },
  };
}
