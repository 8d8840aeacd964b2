// What runs without a request: one line per timed job and per consumer of the ledger.
import type { Job } from './infra/job-runner.ts';
import type { Migration } from './infra/migrations.ts';
import type { Services } from './services.ts';

const SECOND = 1000;

/** Changes of stored data, oldest first; indexes are built by themselves. */
export const migrations: readonly Migration[] = [];

export function createJobs({ audit }: Services): Job[] {
  return [{ name: 'audit.sweep', everyMs: 5 * SECOND, run: () => audit.sweep() }];
}
