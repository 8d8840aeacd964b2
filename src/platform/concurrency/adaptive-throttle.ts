// An adaptive throttle: work runs in slices, with pauses that grow with the thread's load (row beside-streams).
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { busyAfter, LEAST_DUTY, restMs } from './throttle-duty.ts';

/** Clock, timer and load of the event loop; tests pass their own. */
export interface LoopTime {
  /** Milliseconds. */
  now(): number;
  wait(ms: number): Promise<unknown>;
  /** Utilization of this thread's event loop since its start. */
  utilization(): EventLoopUtilization;
}

const loopTime: LoopTime = {
  now: () => performance.now(),
  wait: (ms) => sleep(ms),
  utilization: () => performance.eventLoopUtilization(),
};

export interface Throttle {
  /** Starts a new slice, after a wait that is not part of the work. */
  begin(): void;
  /** Call it between small pieces of work: pauses once the slice is used up. */
  pauseWhenDue(): Promise<void>;
}

/** How long work runs, and how much of the thread it may take. */
export interface ThrottlePolicy {
  /** Length of a slice between two pauses, unless a single piece takes longer. */
  sliceMs: number;
  /** Part of the time that work gets on an instance that is never idle. */
  leastDuty: number;
}
/** Work that no caller waits for. */
export const BACKGROUND: ThrottlePolicy = { sliceMs: 4, leastDuty: LEAST_DUTY };
/** The beginning of work that a person waits for: most of it ends there. */
export const AWAITED: ThrottlePolicy = { sliceMs: 4, leastDuty: 0.75 };
/** Work that may be a tenth of a second late, but must not fall behind for ever. */
export const LOW_LATENCY: ThrottlePolicy = { sliceMs: 1, leastDuty: 0.2 };

/** One throttle per sequential kind of work. Waiting counts as work, so that a slow database is relieved as well. */
export function createThrottle(
  { sliceMs, leastDuty }: ThrottlePolicy = BACKGROUND,
  { now, wait, utilization }: LoopTime = loopTime,
): Throttle {
  let busy = 0;
  let since = now();

  async function pauseAndMeasure(ms: number): Promise<void> {
    const before = utilization();
    await wait(ms);
    const { active, idle } = utilization();
    const seen = {
      active: active - before.active,
      ms: active + idle - before.active - before.idle,
    };
    if (seen.ms > 0) busy = busyAfter(busy, { busy: seen.active / seen.ms, ms: seen.ms });
  }

  return {
    begin() {
      since = now();
    },
    async pauseWhenDue() {
      const worked = now() - since;
      if (worked < sliceMs) return;
      await pauseAndMeasure(restMs(worked, busy, leastDuty));
      since = now();
    },
  };
}
