// A bounded read-through cache that never serves what was loaded before the last change of its organisation, and loads once for many.
import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from './change-feed.ts';

/** What a load found, and whose it is; null is not kept. */
export type Loaded<V> = { organizationId: string; value: V } | null;

export interface Cache<V> {
  get(key: string, load: () => Promise<Loaded<V>>): Promise<V | null>;
  /** Forgets what belongs to the organisation; null forgets everything. Call it after the commit. */
  invalidate(organizationId: string | null): void;
}

interface Entry<V> {
  organizationId: string;
  value: V;
  /** The tick before the load began. */
  since: number;
}

interface Options {
  feed: ChangeFeed;
  /** Collections whose changes make entries stale. */
  collections: readonly string[];
  max: number;
}

const ORGANIZATIONS_KEPT = 100_000;

/** While the feed is not live every `get` loads. */
export function createCache<V>({ feed, collections, max }: Options): Cache<V> {
  const entries = new LRUCache<string, Entry<V>>({ max });
  const loading = new Map<string, { value: Promise<V | null>; since: number }>();
  const changed = new Map<string, number>();
  let tick = 0;
  let floor = 0;

  const fresh = (entry: Entry<V>): boolean =>
    entry.since >= floor && entry.since >= (changed.get(entry.organizationId) ?? 0);
  function invalidate(organizationId: string | null): void {
    tick += 1;
    if (organizationId !== null && changed.size < ORGANIZATIONS_KEPT)
      changed.set(organizationId, tick);
    else {
      floor = tick;
      changed.clear();
    }
  }
  for (const collection of collections) feed.on(collection, invalidate);

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
      const known = entries.get(key);
      if (known && feed.live() && fresh(known)) return known.value;
      const begun = loading.get(key);
      // A load that began before the last change of anything may have read what is stale now.
      if (begun && begun.since === tick && feed.live()) return begun.value;
      const value = loadAndKeep(key, load).finally(() => {
        if (loading.get(key)?.value === value) loading.delete(key);
      });
      loading.set(key, { value, since: tick });
      return value;
    },
  };
}
