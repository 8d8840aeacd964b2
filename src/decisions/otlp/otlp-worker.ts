// Reads large exports in a worker thread: started by the first one, ended when idle.
import { AppError, type Code } from '../../errors.ts';
import {
  createWorkerThreads,
  type RequestOrigin,
} from '../../platform/concurrency/worker-threads.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ExportBody, ReadExport } from './export-reader.ts';

export type ExportAnswer =
  | { kind: 'read'; read: ReadExport }
  | { kind: 'refused'; code: Code; message: string };

/** Upper bound on waiting requests: some hundred megabytes of bodies. */
const WAITING_MAX = 32;
/** Many times as long as the most expensive body takes, since the thread has a low priority. */
const TIMEOUT_MS = 30_000;
/** Room for a body of 4 MB, decoded and mapped. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 512 };

export interface OtlpWorker {
  /**
   * Organisations take turns, and within one its keys.
   * @throws AppError as `readExport`, `SERVICE_UNAVAILABLE` when too many wait or one takes too long
   */
  readBody(body: ExportBody, origin: RequestOrigin): Promise<ReadExport>;
  close(): Promise<void>;
}

export function createOtlpWorker({ threadScripts }: Pick<Platform, 'threadScripts'>): OtlpWorker {
  const threads = createWorkerThreads<ExportBody, ExportAnswer>({
    script: new URL('./otlp-thread.mjs', threadScripts ?? import.meta.url),
    resourceLimits: RESOURCE_LIMITS,
    threads: 1,
    timeoutMs: TIMEOUT_MS,
    lateText: 'The export takes too long',
    maxWaiting: WAITING_MAX,
  });

  return {
    async readBody(body, origin) {
      const answer = await threads.sendRequest(body, origin);
      if (answer.kind === 'refused') throw new AppError(answer.code, answer.message);
      return answer.read;
    },
    close: threads.close,
  };
}
