// The thread that judges stored decisions by other policies, and what it is asked.
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import type {
  DecisionPortion,
  JudgedPortion,
  RejudgedDecision,
  ReplayPortion,
} from './replay-judge.service.ts';

export type ReplayRequest = ReplayPortion | DecisionPortion;

interface Answers {
  portion: JudgedPortion;
  decisions: RejudgedDecision[];
}

const openPool = perInstance(({ threads, databaseAccess }) =>
  threads.open<ReplayRequest, Answers[keyof Answers]>('replay', databaseAccess),
);

export const sendToReplayThread = <R extends ReplayRequest>(
  platform: Platform,
  request: R,
  signal?: AbortSignal,
): Promise<Answers[R['kind']]> =>
  openPool(platform).sendToLeastBusy(request, signal) as Promise<Answers[R['kind']]>;
