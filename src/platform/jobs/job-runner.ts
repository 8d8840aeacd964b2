// Runs timed jobs: each on one instance at a time, and never two runs of one job at the same time.
import type { Timer } from '../concurrency/timer.ts';
import type { Leases } from './leases.ts';

/** One row of the job table. */
export interface Job {
  name: string;
  everyMs: number;
  /** Longest period: each idle run (it resolves with 0) doubles the period. Absent: the period stays the same. */
  idleMs?: number;
  run(): Promise<unknown>;
}

/** Another instance takes over from a dead one after this many periods. */
const LEASE_PERIODS = 3;
const MIN_LEASE_MS = 5000;

/** Delay of a woken run: the call may come just before the commit that causes it. */
const WAKE_MS = 50;
/** Idle runs before a job's period grows. */
const PATIENCE = 3;

export interface JobRunner {
  start(): void;
  /** Runs a resting job soon, and at its normal period for a while. */
  wakeJob(name: string): void;
  /** Runs every job once, in order and without leases, each after the run of it that is under way; for tests. */
  runOnce(): Promise<void>;
  /** Starts no further run; resolves when those under way have ended. */
  stop(): Promise<void>;
}

export function createJobRunner({
  jobs,
  leases,
  timer,
  ready,
  log,
  onRun,
}: {
  jobs: readonly Job[];
  leases: Leases;
  /** Begins the runs. */
  timer: Timer;
  /** False while this instance's clock is wrong: no job runs, since leases and periods depend on it. */
  ready: () => boolean;
  log: { error(details: object, text: string): void };
  onRun?: (name: string, ok: boolean) => void;
}): JobRunner {
  const schedules = new Map(
    jobs.map((job) => [job.name, createSchedule(job, timer, (ended) => startRun(job, ended))]),
  );
  const running = new Map<string, Promise<void>>();

  /** Returns whether there was work. A resting instance releases its lease, so that a woken one can take it. */
  async function runLeased(job: Job): Promise<boolean> {
    const lease = `job:${job.name}`;
    let done: unknown = 0;
    try {
      const leaseMs = Math.max(MIN_LEASE_MS, LEASE_PERIODS * job.everyMs);
      const isAcquired = await leases.runUnderLease(
        lease,
        leaseMs,
        async () => (done = await job.run()),
      );
      if (isAcquired) onRun?.(job.name, true);
      if (isAcquired && done === 0 && job.idleMs !== undefined) await leases.release(lease);
    } catch (error) {
      onRun?.(job.name, false);
      log.error({ err: error, job: job.name }, 'job failed');
      return true;
    }
    return done !== 0;
  }

  /** Registers a run: no other run of the job begins here until it has ended. */
  async function follow<T>({ name }: Job, run: Promise<T>): Promise<T> {
    const forgetRun = (): void => void running.delete(name);
    running.set(name, run.then(forgetRun, forgetRun));
    return run;
  }

  function startRun(job: Job, onEnded: (isBusy: boolean) => void): void {
    if (!ready() || running.has(job.name)) return onEnded(true);
    void follow(job, runLeased(job)).then(onEnded);
  }

  return {
    start() {
      for (const each of schedules.values()) each.start();
    },
    wakeJob(name) {
      schedules.get(name)?.wakeJob();
    },
    async runOnce() {
      for (const job of jobs) {
        while (running.has(job.name)) await running.get(job.name);
        await follow(job, job.run());
      }
    },
    async stop() {
      for (const each of schedules.values()) each.stopTimer();
      await Promise.allSettled(running.values());
      await leases.release(...jobs.map(({ name }) => `job:${name}`)).catch(() => undefined);
    },
  };
}

/** Schedules the runs of one job; the next one starts after the previous one has ended. */
function createSchedule(
  { everyMs, idleMs = everyMs }: Job,
  timer: Timer,
  run: (scheduleNext: (isBusy: boolean) => void) => void,
) {
  let cancelNext = (): void => undefined;
  let idleRuns = 0;
  let isRunning = false;
  let isWoken = false;
  let isStopped = true;

  function scheduleRun(ms: number): void {
    cancelNext();
    if (isStopped) return;
    cancelNext = timer.schedule(ms, () => {
      const started = timer.elapsed();
      isRunning = true;
      isWoken = false;
      run((isBusy) => scheduleNext(isBusy, timer.elapsed() - started));
    });
  }

  function scheduleNext(isBusy: boolean, tookMs: number): void {
    isRunning = false;
    idleRuns = isBusy ? 0 : idleRuns + 1;
    const rest = Math.min(idleMs, everyMs * 2 ** Math.max(0, idleRuns - PATIENCE));
    scheduleRun(isWoken ? Math.min(WAKE_MS, everyMs) : rest - (tookMs % rest));
  }

  return {
    start() {
      isStopped = false;
      scheduleRun(everyMs);
    },
    wakeJob() {
      idleRuns = 0;
      if (isWoken) return;
      isWoken = true;
      if (!isRunning) scheduleRun(Math.min(WAKE_MS, everyMs));
    },
    stopTimer() {
      isStopped = true;
      cancelNext();
    },
  };
}
