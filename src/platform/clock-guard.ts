// Checks this instance's clock: nothing is sealed while it is off, or was set, by more than 5 s (ledger.md).
import { MAX_SKEW_MS } from '../domain/record/chain.ts';
import type { MachineClocks } from './clock.ts';

const CHECK_MS = 10_000;

export interface ClockGuard {
  /** Whether the clocks agreed at the last check and this one was not set since; otherwise starts another check. */
  isReady(): boolean;
  /** Measures now, then every ten seconds. */
  start(): Promise<void>;
  stop(): void;
}

export interface ClockGuardDeps {
  clocks: MachineClocks;
  /** The database's time, in milliseconds since the epoch. */
  databaseNow: () => Promise<number>;
  /** The database runs on this machine, so its clock proves nothing about this one. */
  sharesClock: boolean;
  /** Receives the measured deviation of this clock. */
  onMeasured: (skewMs: number) => void;
  log: { error(details: object, text: string): void };
}

/** The readings of all clocks at one moment; `skewMs`: wall clock minus database clock. */
interface Measurement {
  skewMs: number;
  wall: number;
  elapsed: number;
  sinceBoot: number;
}

/** A failed measurement changes nothing: other checks detect an unreachable database. */
export function createClockGuard(deps: ClockGuardDeps): ClockGuard {
  const { clocks, databaseNow, sharesClock, onMeasured, log } = deps;
  let last: Measurement | null = null;
  let checking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let loggedAt = -Infinity;

  async function measure(): Promise<Measurement> {
    const sentAt = clocks.elapsed();
    const database = await databaseNow();
    const elapsed = clocks.elapsed();
    const wall = clocks.wall();
    const skewMs = wall - database - (elapsed - sentAt) / 2;
    return { skewMs, wall, elapsed, sinceBoot: clocks.sinceBoot() };
  }

  /** Estimates the present skew, assuming that the database's clock ran evenly since the last measurement. */
  function estimateSkewMs(): number {
    if (!last) return Number.NaN;
    return last.skewMs + (clocks.wall() - last.wall) - (clocks.elapsed() - last.elapsed);
  }

  /** When both share a clock, a jump counts until the clock is back. Time that the machine slept is no jump. */
  async function check(): Promise<void> {
    const now = await measure();
    const jumpMs = last ? now.wall - last.wall - (now.sinceBoot - last.sinceBoot) : 0;
    const isBelieved = !(sharesClock && Math.abs(jumpMs) > MAX_SKEW_MS);
    if (isBelieved) last = now;
    const skewMs = isBelieved ? now.skewMs : now.skewMs + jumpMs;
    onMeasured(skewMs);
    if (Math.abs(skewMs) <= MAX_SKEW_MS || now.elapsed - loggedAt < CHECK_MS) return;
    loggedAt = now.elapsed;
    log.error({ skewMs }, 'the clock was set, or differs from the database: nothing is sealed');
  }

  function checkNow(): Promise<void> {
    checking ??= check().finally(() => (checking = null));
    return checking;
  }

  return {
    isReady() {
      if (Math.abs(estimateSkewMs()) <= MAX_SKEW_MS) return true;
      if (last) void checkNow().catch(() => undefined);
      return false;
    },
    async start() {
      await checkNow();
      timer = setInterval(() => void checkNow().catch(() => undefined), CHECK_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
