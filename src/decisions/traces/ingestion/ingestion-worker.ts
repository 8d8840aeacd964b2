// Runs the judging of large decisions in a worker thread: started by the first one, ended when idle.
import { createWorkerThreads } from '../../../platform/concurrency/worker-threads.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { BodyAnswer, BodyRequest } from './body-judge.ts';
import { createLargeBodies, type LargeBodies } from './large-bodies.ts';

/** Upper bound on waiting requests: some hundred megabytes of bodies. */
const WAITING_MAX = 64;
/** Many times as long as the most expensive body takes, since the thread has a low priority. */
const TIMEOUT_MS = 30_000;
/** Room for a few bodies of 3 MB, parsed and drafted. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

export interface IngestionWorker extends LargeBodies {
  close(): Promise<void>;
}

export function createIngestionWorker({
  threadScripts,
}: Pick<Platform, 'threadScripts'>): IngestionWorker {
  const threads = createWorkerThreads<BodyRequest, BodyAnswer>({
    script: new URL('./ingestion-thread.mjs', threadScripts ?? import.meta.url),
    resourceLimits: RESOURCE_LIMITS,
    threads: 1,
    timeoutMs: TIMEOUT_MS,
    lateText: 'The decision takes too long',
    maxWaiting: WAITING_MAX,
  });
  return { ...createLargeBodies(threads), close: threads.close };
}
