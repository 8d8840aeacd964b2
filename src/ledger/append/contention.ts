// Taking turns between instances that append to one chain, so that they stop colliding (ledger.md, appending, 7).
import type { Clock } from '../../platform/clock.ts';
import type { AppendQueue } from './append-queue.ts';
import { headOf } from './seal.ts';
import type { LedgerStore } from './store.ts';
import { sleep, type Timer } from '../timer.ts';

const HABIT_MS = 1_000;
const LONGEST_WAIT_MS = 25;
const ROUND_TRIPS = 2;
const WAITS_IN_VAIN = 3;

/** The habit of one lane. */
export interface ContentionBackoff {
  /** Milliseconds since the epoch. */
  until: number;
  /** Waits in a row that saw no foreign entry. */
  vain: number;
  /** Whether the newest batch was appended by us. */
  won: boolean;
}

export function noContention(): ContentionBackoff {
  return { until: 0, vain: 0, won: false };
}

export interface ContentionDeps {
  store: LedgerStore;
  clock: Clock;
  timer: Timer;
}

/** Somebody else appended: for a second a win is followed by a wait. */
export function noteConflict(lane: AppendQueue, clock: Clock): void {
  lane.turns.until = clock.now().getTime() + HABIT_MS;
  lane.turns.won = false;
}

/** After a win during the habit: waits, briefly, until somebody else has appended, and builds on that. */
export async function yieldTurn(
  lane: AppendQueue,
  { store, clock, timer }: ContentionDeps,
): Promise<void> {
  const { turns, head } = lane;
  const start = clock.now().getTime();
  if (!turns.won || !head || start >= turns.until) return;
  turns.won = false;
  for (
    let trip = 0;
    trip < ROUND_TRIPS && clock.now().getTime() - start < LONGEST_WAIT_MS;
    trip++
  ) {
    const newest = await store.newest(lane.id).catch(() => null);
    if (newest && newest.sequence > head.sequence) {
      lane.trust(headOf(newest));
      turns.vain = 0;
      return;
    }
    await sleep(timer, 1);
  }
  if (++turns.vain >= WAITS_IN_VAIN) Object.assign(turns, noContention());
}
