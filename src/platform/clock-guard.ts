// Compares this instance's clock with the database's: nothing is sealed while they differ by more than five seconds (docs/formats.md).

/** Maximum difference in milliseconds. */
export const MAX_SKEW_MS = 5000;
const CHECK_MS = 10_000;

export interface ClockGuard {
  /** Whether the clocks agreed at the last measurement. */
  ready(): boolean;
  /** Measures now, then every ten seconds. */
  start(): Promise<void>;
  stop(): void;
}

/** A failed measurement changes nothing: an unreachable database is noticed elsewhere. */
export function createClockGuard({
  measure,
  onMeasured,
  log,
}: {
  /** Our clock minus the database's, in milliseconds. */
  measure: () => Promise<number>;
  onMeasured: (skewMs: number) => void;
  log: { error(details: object, text: string): void };
}): ClockGuard {
  let agrees = false;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const skewMs = await measure();
    onMeasured(skewMs);
    agrees = Math.abs(skewMs) <= MAX_SKEW_MS;
    if (!agrees) log.error({ skewMs }, 'the clock differs from the database: nothing is sealed');
  }

  return {
    ready: () => agrees,
    async start() {
      await check();
      timer = setInterval(() => void check().catch(() => undefined), CHECK_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
