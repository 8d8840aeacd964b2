// Wakes resting jobs when there is work for them; calls before the job runner exists are dropped.
import type { JobRunner } from './job-runner.ts';

/** Jobs that poll less often while they find nothing to do. */
export type RestingJob =
  | 'outbox.internal'
  | 'outbox.deliver'
  | 'outbox.mail'
  | 'policies.replay'
  | 'erasure.epochs';

export interface JobCalls {
  wakeJob(job: RestingJob): void;
  setRunner(runner: JobRunner): void;
}

export function createJobCalls(): JobCalls {
  let activeRunner: JobRunner | null = null;
  return {
    wakeJob: (job) => activeRunner?.wakeJob(job),
    setRunner: (runner) => void (activeRunner = runner),
  };
}
