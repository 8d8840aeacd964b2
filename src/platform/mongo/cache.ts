// A bounded read-through cache: entries are stale after a change of their organisation, and concurrent reads share one load.
import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from './change-feed.ts';
import { limitEntries } from '../../domain/entry-limit.ts';

/** The result of a load and the organisation it belongs to; null is not cached. */
export type Loaded<V> = { organizationId: string; value: V } | null;

export interface Cache<V> {
  /** Returns the cached value; otherwise loads it. */
  get(key: string, load: () => Promise<Loaded<V>>): Promise<V | null>;
  /** Makes the entries of an organisation stale, or all of them (null). Call it after the commit. */
  invalidate(organizationId: string | null): void;
}

interface Entry<V> {
  organizationId: string;
  value: V;
  /** The tick at the beginning of the load. */
  since: number;
}

/** Upper bound on remembered changes; beyond it, a change makes every entry stale. */
const MAX_ORGANIZATIONS = 100_000;

/** While the feed is not live every `get` loads. */
export function createCache<V>({
  feed,
  collections,
  max,
}: {
  feed: ChangeFeed;
  /** Collections whose changes make entries stale. */
  collections: readonly string[];
  max: number;
}): Cache<V> {
  const entries = new LRUCache<string, Entry<V>>(limitEntries(max));
  const loading = new Map<string, { value: Promise<V | null>; since: number }>();
  /** Counts changes: the order of changes and loads, independent of any clock. */
  let tick = 0;
  const changedAt = new Map<string, number>();
  let allChangedAt = 0;

  const isFresh = ({ since, organizationId }: Entry<V>): boolean =>
    since >= allChangedAt && since >= (changedAt.get(organizationId) ?? 0);

  function invalidate(organizationId: string | null): void {
    tick += 1;
    if (organizationId !== null && changedAt.size < MAX_ORGANIZATIONS)
      changedAt.set(organizationId, tick);
    else {
      allChangedAt = tick;
      changedAt.clear();
    }
  }
  for (const collection of collections) feed.subscribe(collection, invalidate);

  async function loadAndKeep(key: string, load: () => Promise<Loaded<V>>): Promise<V | null> {
    const since = tick;
    const loaded = await load();
    if (loaded) entries.set(key, { ...loaded, since });
    else entries.delete(key);
    return loaded?.value ?? null;
  }

  return {
    invalidate,
    async get(key, load) {
      const cached = entries.get(key);
      if (cached && feed.isLive() && isFresh(cached)) return cached.value;
      const current = loading.get(key);
      // A load that began before the last change may have read stale data.
      if (current && current.since === tick && feed.isLive()) return current.value;
      const value = loadAndKeep(key, load).finally(() => {
        if (loading.get(key)?.value === value) loading.delete(key);
      });
      loading.set(key, { value, since: tick });
      return value;
    },
  };
}
