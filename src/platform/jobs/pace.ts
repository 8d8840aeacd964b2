// Lets work give way: it is done in slices, with rests that are as long as the instance is busy (row beside-streams).
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { busyAfter, LEAST_SHARE, restMs } from '../../domain/giving-way.ts';

/** What time is measured and passed by; tests give their own. */
export interface LoopTime {
  /** Milliseconds. */
  now(): number;
  wait(ms: number): Promise<unknown>;
  /** How busy this thread was so far. */
  utilization(): EventLoopUtilization;
}

const loopTime: LoopTime = {
  now: () => performance.now(),
  wait: (ms) => sleep(ms),
  utilization: () => performance.eventLoopUtilization(),
};

export interface Pace {
  /** Work begins, after something else was waited for. */
  begin(): void;
  /** Call it between small pieces of work: it rests once a slice of them is done. */
  giveWay(): Promise<void>;
}

/** How work gives way. */
export interface Manner {
  /** What is worked between two rests, if no piece takes longer. */
  sliceMs: number;
  /** What it takes on an instance that is never idle. */
  leastShare: number;
}
/** What nobody waits for. */
export const UNHURRIED: Manner = { sliceMs: 4, leastShare: LEAST_SHARE };
/** What may be a tenth of a second late, and must not fall behind for ever. */
export const PROMPT: Manner = { sliceMs: 1, leastShare: 0.2 };

/** Of one kind of work, which is one after the other. What it waits for counts as its work: a slow database is left alone too. */
export function createPace(
  { sliceMs, leastShare }: Manner = UNHURRIED,
  { now, wait, utilization }: LoopTime = loopTime,
): Pace {
  let busy = 0;
  let since = now();

  async function rest(ms: number): Promise<void> {
    const before = utilization();
    await wait(ms);
    const { active, idle } = utilization();
    const seen = {
      active: active - before.active,
      ms: active + idle - before.active - before.idle,
    };
    if (seen.ms > 0) busy = busyAfter(busy, { share: seen.active / seen.ms, ms: seen.ms });
  }

  return {
    begin() {
      since = now();
    },
    async giveWay() {
      const worked = now() - since;
      if (worked < sliceMs) return;
      await rest(restMs(worked, busy, leastShare));
      since = now();
    },
  };
}
