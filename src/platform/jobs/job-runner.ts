// Runs timed jobs: each on one instance at a time, and never while its previous run is under way.
import type { Leases } from './leases.ts';

/** One row of the job table. */
export interface Job {
  name: string;
  everyMs: number;
  run(): Promise<unknown>;
}

/** Periods after which another instance takes over from one that has died. */
const LEASE_PERIODS = 3;
const MIN_LEASE_MS = 5000;

export interface JobRunner {
  start(): void;
  /** Runs every job once, in order and without leases; for tests. */
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
  const timers: NodeJS.Timeout[] = [];
  const running = new Map<string, Promise<void>>();

  async function runLeased(job: Job): Promise<void> {
    try {
      const leaseMs = Math.max(MIN_LEASE_MS, LEASE_PERIODS * job.everyMs);
      if (await leases.hold(`job:${job.name}`, leaseMs, () => job.run())) onRun?.(job.name, true);
    } catch (error) {
      onRun?.(job.name, false);
      log.error({ err: error, job: job.name }, 'job failed');
    }
  }

  function tick(job: Job): void {
    if (running.has(job.name) || !ready()) return;
    running.set(
      job.name,
      runLeased(job).finally(() => running.delete(job.name)),
    );
  }

  return {
    start() {
      for (const job of jobs) timers.push(setInterval(() => tick(job), job.everyMs).unref());
    },
    async runOnce() {
      for (const job of jobs) await job.run();
    },
    async stop() {
      timers.forEach(clearInterval);
      await Promise.allSettled(running.values());
      await Promise.allSettled(jobs.map(({ name }) => leases.release(`job:${name}`)));
    },
  };
}
