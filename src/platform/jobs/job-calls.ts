// Calls for jobs that rest, by whoever gives them something to do; until there are jobs nobody answers.
import type { JobRunner } from './job-runner.ts';

/** Jobs that rest while there is nothing to do. */
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
