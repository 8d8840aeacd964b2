// Disables an AsyncLocalStorage while no work uses it: an enabled one slows every promise, 50 us an ingestion (row ingest/R1).
import type { AsyncLocalStorage } from 'node:async_hooks';

const users = new WeakMap<AsyncLocalStorage<unknown>, number>();

/**
 * Runs `work`, and disables the storages after it unless other work uses them; `run` of a storage enables it again.
 * Every `run` of such a storage MUST be inside of `work`.
 */
export async function disableWhenIdle<T>(
  storages: readonly AsyncLocalStorage<unknown>[],
  work: () => Promise<T>,
): Promise<T> {
  for (const storage of storages) countUser(storage, 1);
  try {
    return await work();
  } finally {
    for (const storage of storages) if (countUser(storage, -1) === 0) storage.disable();
  }
}

function countUser(storage: AsyncLocalStorage<unknown>, change: number): number {
  const count = (users.get(storage) ?? 0) + change;
  users.set(storage, count);
  return count;
}
