// Runs replays in a worker thread: started by the first replay, restarted after a failure.
import { createLastingThread } from '../../platform/answering-thread.ts';
import type { JudgedPortion, ReplayJudge, ReplayPortion } from './replay-judge.service.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ReplayThreadData } from './replay-thread.ts';

/** Memory limits: room for a few pages of decisions, each of which may have megabytes. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

export interface ReplayWorker extends ReplayJudge {
  close(): Promise<void>;
}

export function createReplayWorker({
  mongoUri: uri,
  connection,
  keyAccess: keyStore,
  threadScripts,
}: Pick<Platform, 'mongoUri' | 'connection' | 'keyAccess' | 'threadScripts'>): ReplayWorker {
  const workerData: ReplayThreadData = { uri, database: connection.name, keyStore };
  const thread = createLastingThread<ReplayPortion>({
    script: new URL('./replay-thread.mjs', threadScripts ?? import.meta.url),
    workerData,
    resourceLimits: RESOURCE_LIMITS,
  });
  return {
    evaluatePortion: (portion) => thread.sendRequest(portion) as Promise<JudgedPortion>,
    close: thread.close,
  };
}
