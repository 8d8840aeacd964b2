// The read-through cache: never older than the last change, and bypassed while the feed is not live.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCache, type Cache, type Loaded } from '../../src/platform/mongo/cache.ts';
import type { ChangeFeed, Listener } from '../../src/platform/mongo/change-feed.ts';

/** A feed that the test controls. */
function script(): { feed: ChangeFeed; tell: Listener; live: { now: boolean } } {
  const listeners: Listener[] = [];
  const live = { now: true };
  const feed: ChangeFeed = {
    subscribe: (_collection, listener) => void listeners.push(listener),
    isLive: () => live.now,
    start: () => undefined,
    stop: () => Promise.resolve(),
  };
  return {
    feed,
    live,
    tell: (organizationId) => listeners.forEach((listener) => listener(organizationId)),
  };
}

function make(max = 10): {
  cache: Cache<number>;
  script: ReturnType<typeof script>;
  load: () => Promise<Loaded<number>>;
} {
  const scripted = script();
  let loads = 0;
  const cache = createCache<number>({ feed: scripted.feed, collections: ['things'], max });
  return {
    cache,
    script: scripted,
    load: () => Promise.resolve({ organizationId: 'a', value: (loads += 1) }),
  };
}

test('a loaded value is cached until its organisation changes', async () => {
  const { cache, script: feed, load } = make();
  expect([await cache.get('k', load), await cache.get('k', load)]).toEqual([1, 1]);
  feed.tell('b');
  expect(await cache.get('k', load)).toBe(1);
  feed.tell('a');
  expect([await cache.get('k', load), await cache.get('k', load)]).toEqual([2, 2]);
  cache.invalidate('a');
  expect(await cache.get('k', load)).toBe(3);
});

test('a change without an organisation makes everything stale', async () => {
  const { cache, script: feed, load } = make();
  await cache.get('k', load);
  feed.tell(null);
  expect(await cache.get('k', load)).toBe(2);
});

test('a load that began before a change is not cached, however late it ends', async () => {
  const { cache, script: feed, load } = make();
  let finish = (_: Loaded<number>): void => undefined;
  const slow = cache.get('k', () => new Promise<Loaded<number>>((resolve) => (finish = resolve)));
  feed.tell('a');
  finish({ organizationId: 'a', value: -1 });
  expect(await slow).toBe(-1);
  expect(await cache.get('k', load)).toBe(1);
});

test('while the feed is not live every read loads', async () => {
  const { cache, script: feed, load } = make();
  await cache.get('k', load);
  feed.live.now = false;
  expect([await cache.get('k', load), await cache.get('k', load)]).toEqual([2, 3]);
});

test('an absent value is not cached, and replaces a cached one', async () => {
  const { cache, script: feed, load } = make();
  await cache.get('k', load);
  feed.tell('a');
  expect(await cache.get('k', () => Promise.resolve(null))).toBeNull();
  expect(await cache.get('k', load)).toBe(2);
});

test('a failed load leaves nothing behind', async () => {
  const { cache, load } = make();
  await expect(cache.get('k', () => Promise.reject(new Error('no database')))).rejects.toThrow(
    'no database',
  );
  expect(await cache.get('k', load)).toBe(1);
});

test('concurrent readers share one load, unless something changed since it began', async () => {
  const { cache, script: feed, load } = make();
  expect(
    await Promise.all([cache.get('k', load), cache.get('k', load), cache.get('k', load)]),
  ).toEqual([1, 1, 1]);
  feed.tell('a');
  const early = cache.get('k', load);
  feed.tell('a');
  expect(await Promise.all([early, cache.get('k', load)])).toEqual([2, 3]);
});

test('the cache holds at most `max` entries', async () => {
  const { cache, load } = make(2);
  for (const key of ['a', 'b', 'c']) await cache.get(key, load);
  expect(await cache.get('c', load)).toBe(3);
  expect(await cache.get('a', load)).toBe(4);
});

const key = fc.constantFrom('k1', 'k2', 'k3');
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), key }),
  fc.record({ kind: fc.constant('begin' as const), key }),
  fc.record({ kind: fc.constant('end' as const), key }),
  fc.record({ kind: fc.constant('read' as const), key }),
);

test('never serves a value older than the last notified write, for any interleaving with slow loads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { cache, script: feed } = make();
      const stored = new Map<string, number>();
      const ends: (() => void)[] = [];
      let version = 0;
      for (const { kind, key: name } of steps) {
        const owner = name === 'k3' ? 'b' : 'a';
        const now = (): Loaded<number> => ({ organizationId: owner, value: stored.get(name) ?? 0 });
        if (kind === 'write') {
          stored.set(name, (version += 1));
          feed.tell(owner);
        } else if (kind === 'begin') {
          // Reads the database now, but resolves later.
          const seen = now();
          void cache.get(name, () => new Promise((resolve) => ends.push(() => resolve(seen))));
        } else if (kind === 'end') {
          ends.shift()?.();
          await Promise.resolve();
        } else {
          const value = cache.get(name, () => Promise.resolve(now()));
          // It may have joined a load that is under way.
          ends.splice(0).forEach((end) => end());
          expect(await value).toBe(stored.get(name) ?? 0);
        }
      }
    }),
    { numRuns: 500 },
  );
});
