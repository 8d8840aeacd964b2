// State of an instance, such as a cache: instances in one process share none, and it is freed with its platform.
import type { Platform } from './platform.ts';

const openers: ((platform: Platform) => unknown)[] = [];

/** Returns a function that gives the state of a platform. `create` is called once for each platform. */
export function perInstance<T extends object>(
  create: (platform: Platform) => T,
): (platform: Platform) => T {
  const states = new WeakMap<Platform, T>();
  function open(platform: Platform): T {
    let state = states.get(platform);
    if (!state) states.set(platform, (state = create(platform)));
    return state;
  }
  openers.push(open);
  return open;
}

/** Creates all state of a platform. Call it before its change feed starts: that follows the caches there are by then. */
export function openStates(platform: Platform): void {
  for (const open of openers) open(platform);
}

/**
 * Keeps what rooms use of others that they may not import: the composition provides it for each platform.
 * @param whose the rooms that need it, for the error where nothing is provided
 */
export function createProvision<T extends object>(
  whose: string,
): { provide: (platform: Platform, needed: T) => void; get: (platform: Platform) => T } {
  const provided = new WeakMap<Platform, T>();
  return {
    provide: (platform, needed) => void provided.set(platform, needed),
    get(platform) {
      const needed = provided.get(platform);
      if (!needed) throw new Error(`The composition has not provided what ${whose} need`);
      return needed;
    },
  };
}
