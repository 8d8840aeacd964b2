// Contention back-off: after a conflict, instances alternate on a chain for one second (ledger.md, appending, 7).
import type { Clock } from '../../platform/clock.ts';
import type { AppendQueue } from './append-queue.ts';
import { toHead } from './seal.ts';
import type { LedgerStore } from './store.ts';
import { sleep, type Timer } from '../../platform/concurrency/timer.ts';

/** Window after a conflict in which a winner yields. */
const WINDOW_MS = 1_000;
const WAIT_MAX_MS = 25;
const READS_MAX = 2;
const FRUITLESS_WAITS_MAX = 3;

/** The back-off state of one queue. */
export interface ContentionBackoff {
  /** End of the window, milliseconds since the epoch. */
  until: number;
  /** Consecutive waits in which no other instance appended. */
  fruitlessWaits: number;
  /** Whether this instance appended the newest batch. */
  wonLast: boolean;
}

/** Creates the state of a queue without contention. */
export function createContentionBackoff(): ContentionBackoff {
  return { until: 0, fruitlessWaits: 0, wonLast: false };
}

export interface ContentionDeps {
  store: LedgerStore;
  clock: Clock;
  timer: Timer;
}

/** Notes that another instance appended: opens the window in which a win is followed by a wait. */
export function noteChainConflict({ contention }: AppendQueue, clock: Clock): void {
  contention.until = clock.now().getTime() + WINDOW_MS;
  contention.wonLast = false;
}

/**
 * Waits after a win within the window, for 25 ms or two reads at most, until another instance has appended, and accepts
 * its head. Outside the window it MUST return at once. It never rejects: a failed read counts as no append.
 */
export async function yieldTurn(
  queue: AppendQueue,
  { store, clock, timer }: ContentionDeps,
): Promise<void> {
  const { contention, head } = queue;
  const start = clock.now().getTime();
  if (!contention.wonLast || !head || start >= contention.until) return;
  contention.wonLast = false;
  for (let read = 0; read < READS_MAX && clock.now().getTime() - start < WAIT_MAX_MS; read++) {
    const newest = await store.readNewest(queue.organizationObjectId).catch(() => null);
    if (newest && newest.sequence > head.sequence) {
      queue.acceptHead(toHead(newest));
      contention.fruitlessWaits = 0;
      return;
    }
    await sleep(timer, 1);
  }
  if (++contention.fruitlessWaits >= FRUITLESS_WAITS_MAX)
    Object.assign(contention, createContentionBackoff());
}
