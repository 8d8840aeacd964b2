// Refuses to seal while this instance's clock and the database's differ by more than five seconds (docs/formats.md).

/** Greatest difference in milliseconds. */
export const GREATEST_SKEW_MS = 5000;
const CHECK_MS = 10_000;

interface Deps {
  /** Our clock minus the database's, in milliseconds. */
  measure: () => Promise<number>;
  onMeasured: (skewMs: number) => void;
  log: { error(details: object, text: string): void };
}

export interface ClockGuard {
  ready(): boolean;
  /** Measures now, and from then on every ten seconds. */
  start(): Promise<void>;
  stop(): void;
}

/** A measurement that fails changes nothing: an unreachable database is noticed elsewhere. */
export function createClockGuard({ measure, onMeasured, log }: Deps): ClockGuard {
  let ok = false;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const skewMs = await measure();
    onMeasured(skewMs);
    const agrees = Math.abs(skewMs) <= GREATEST_SKEW_MS;
    if (!agrees) log.error({ skewMs }, 'the clock differs from the database: nothing is sealed');
    ok = agrees;
  }

  return {
    ready: () => ok,
    async start() {
      await check();
      timer = setInterval(() => void check().catch(() => undefined), CHECK_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}
