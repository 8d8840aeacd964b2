// Runs timed jobs: each on one instance at a time, and never while its previous run is under way.
import type { Leases } from './leases.ts';

/** One row of the job table. */
export interface Job {
  name: string;
  everyMs: number;
  /** Runs that find nothing to do (they resolve with 0) double the time to the next, up to this. Absent: they do not. */
  idleMs?: number;
  run(): Promise<unknown>;
}

/** Periods after which another instance takes over from one that has died. */
const LEASE_PERIODS = 3;
const MIN_LEASE_MS = 5000;

/** From a call to the run, for the call may come just before what it tells of is committed. */
const WAKE_MS = 50;
/** Runs without anything to do before a job rests longer. */
const PATIENCE = 3;

export interface JobRunner {
  start(): void;
  /** There is something to do for a job that may be resting: it runs at once, and as often as it should for a while. */
  wake(name: string): void;
  /** Runs every job once, in order and without leases, each after the run of it that is under way; for tests. */
  runOnce(): Promise<void>;
  /** Starts no further run; resolves when those under way have ended. */
  stop(): Promise<void>;
}

export function createJobRunner({
  jobs,
  leases,
  ready,
  log,
  onRun,
}: {
  jobs: readonly Job[];
  leases: Leases;
  /** False while this clock is wrong, by which leases and periods are told: no job runs. */
  ready: () => boolean;
  log: { error(details: object, text: string): void };
  onRun?: (name: string, ok: boolean) => void;
}): JobRunner {
  const pace = new Map(jobs.map((job) => [job.name, createPace(job, (ended) => tick(job, ended))]));
  const running = new Map<string, Promise<void>>();

  /** Whether there was something to do; an instance that rests does not keep the lease from one that is called. */
  async function runLeased(job: Job): Promise<boolean> {
    const lease = `job:${job.name}`;
    let done: unknown = 0;
    try {
      const leaseMs = Math.max(MIN_LEASE_MS, LEASE_PERIODS * job.everyMs);
      const isHeld = await leases.hold(lease, leaseMs, async () => (done = await job.run()));
      if (isHeld) onRun?.(job.name, true);
      if (isHeld && done === 0 && job.idleMs !== undefined) await leases.release(lease);
    } catch (error) {
      onRun?.(job.name, false);
      log.error({ err: error, job: job.name }, 'job failed');
      return true;
    }
    return done !== 0;
  }

  /** Until it has ended, no other run of the job begins here. */
  async function follow<T>({ name }: Job, run: Promise<T>): Promise<T> {
    const end = (): void => void running.delete(name);
    running.set(name, run.then(end, end));
    return run;
  }

  function tick(job: Job, ended: (isBusy: boolean) => void): void {
    if (!ready() || running.has(job.name)) return ended(true);
    void follow(job, runLeased(job)).then(ended);
  }

  return {
    start() {
      for (const each of pace.values()) each.start();
    },
    wake(name) {
      pace.get(name)?.wake();
    },
    async runOnce() {
      for (const job of jobs) {
        while (running.has(job.name)) await running.get(job.name);
        await follow(job, job.run());
      }
    },
    async stop() {
      for (const each of pace.values()) each.stop();
      await Promise.allSettled(running.values());
      await Promise.allSettled(jobs.map(({ name }) => leases.release(`job:${name}`)));
    },
  };
}

/** When a job runs next: never while its previous run is under way. */
function createPace(
  { everyMs, idleMs = everyMs }: Job,
  run: (ended: (isBusy: boolean) => void) => void,
) {
  let timer: NodeJS.Timeout | undefined;
  let idleRuns = 0;
  let isRunning = false;
  let isWoken = false;
  let isStopped = true;

  function runIn(ms: number): void {
    clearTimeout(timer);
    if (isStopped) return;
    timer = setTimeout(() => {
      const started = performance.now();
      isRunning = true;
      isWoken = false;
      run((isBusy) => ended(isBusy, performance.now() - started));
    }, ms).unref();
  }

  function ended(isBusy: boolean, tookMs: number): void {
    isRunning = false;
    idleRuns = isBusy ? 0 : idleRuns + 1;
    const rest = Math.min(idleMs, everyMs * 2 ** Math.max(0, idleRuns - PATIENCE));
    runIn(isWoken ? Math.min(WAKE_MS, everyMs) : rest - (tookMs % rest));
  }

  return {
    start() {
      isStopped = false;
      runIn(everyMs);
    },
    wake() {
      idleRuns = 0;
      if (isWoken) return;
      isWoken = true;
      if (!isRunning) runIn(Math.min(WAKE_MS, everyMs));
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
