// Checks answers of time-stamping authorities in a thread that ends when one takes too long or too much memory.
import {
  type TimeStamp,
  type TimeStampQuestion,
  TimeStampRefused,
  type TimeStampTrust,
} from '../../../domain/log/time-stamps/time-stamp.ts';
import { createWorkerThreads } from '../../../platform/concurrency/worker-threads.ts';
import type { Platform } from '../../../platform/platform.ts';

export interface StampRequest {
  bytes: Uint8Array;
  question: TimeStampQuestion;
  trust: TimeStampTrust;
}

export type StampAnswer = { stamp: TimeStamp } | { refusal: string };

export interface StampWorker {
  /** @throws TimeStampRefused */
  readAnswer(request: StampRequest): Promise<TimeStamp>;
  close(): Promise<void>;
}

/** Some hundred times as long as an answer takes. */
const TIMEOUT_MS = 5000;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 64 };
const WAITING_MAX = 4;
const LINE = { share: '', client: '', isAbandoned: () => false };

export function createStampWorker({ threadScripts }: Pick<Platform, 'threadScripts'>): StampWorker {
  const threads = createWorkerThreads<StampRequest, StampAnswer>({
    script: new URL('./stamp-thread.mjs', threadScripts ?? import.meta.url),
    resourceLimits: RESOURCE_LIMITS,
    threads: 1,
    timeoutMs: TIMEOUT_MS,
    lateText: 'The answer takes too long to check',
    maxWaiting: WAITING_MAX,
  });

  return {
    async readAnswer(request) {
      const answer = await threads.sendRequest(request, LINE);
      if ('refusal' in answer) throw new TimeStampRefused(answer.refusal);
      return { ...answer.stamp, token: Buffer.from(answer.stamp.token) };
    },
    close: threads.close,
  };
}
