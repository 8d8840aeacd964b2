// Wakes resting jobs when there is work for them; calls before the job runner exists are dropped.
import type { JobRunner } from './job-runner.ts';

/** Jobs that poll less often while they find nothing to do. */
export type RestingJob = 'outbox.internal' | 'outbox.deliver' | 'outbox.mail' | 'policies.replay';

export interface JobCalls {
  wake(job: RestingJob): void;
  answeredBy(runner: JobRunner): void;
}

export function createJobCalls(): JobCalls {
  let answering: JobRunner | null = null;
  return {
    wake: (job) => answering?.wake(job),
    answeredBy: (runner) => void (answering = runner),
  };
}
