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
export class ContentionBackoff {
  /** End of the window, milliseconds since the epoch. */
  #until = 0;
  /** Consecutive waits in which no other instance appended. */
  #fruitlessWaits = 0;
  /** Whether this instance appended the newest batch. */
  #wonLast = false;

  /** Opens the window in which a win is followed by a wait, because another instance appended. */
  noteConflict(now: number): void {
    this.#until = now + WINDOW_MS;
    this.#wonLast = false;
  }

  /** Notes whether this instance appended the newest batch. */
  noteBatch(isWon: boolean): void {
    this.#wonLast = isWon;
  }

  /** Whether to wait now: after a win within the window, once. */
  takeWait(now: number): boolean {
    const isDue = this.#wonLast && now < this.#until;
    if (isDue) this.#wonLast = false;
    return isDue;
  }

  /** Notes how a wait ended; some fruitless ones in a row close the window. */
  noteWait(isFruitful: boolean): void {
    this.#fruitlessWaits = isFruitful ? 0 : this.#fruitlessWaits + 1;
    if (this.#fruitlessWaits < FRUITLESS_WAITS_MAX) return;
    this.#until = 0;
    this.#fruitlessWaits = 0;
  }
}

export interface ContentionDeps {
  store: LedgerStore;
  clock: Clock;
  timer: Timer;
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
  if (!head || !contention.takeWait(start)) return;
  for (let read = 0; read < READS_MAX && clock.now().getTime() - start < WAIT_MAX_MS; read++) {
    const newest = await store.readNewest(queue.organizationObjectId).catch(() => null);
    if (newest && newest.sequence > head.sequence) {
      queue.acceptHead(toHead(newest));
      contention.noteWait(true);
      return;
    }
    await sleep(timer, 1);
  }
  contention.noteWait(false);
}
