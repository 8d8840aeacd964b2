// Judges a portion of a replay again. It runs in a worker thread: request and answer are plain values.
import type { Platform } from '../../../composition/platform.ts';
import { rejudge } from '../../../domain/policies/trials/rejudge.ts';
import { payloadOf, recordedDecision, type StoredDecision } from './recorded-decision.ts';
import { createReplaySets, type TriedReplay } from './replay-sets.service.ts';
import { count, emptyTally, type Tally } from './replay-tally.ts';

/** The newest decisions of a replay before a sequence. */
export interface ReplayPortion {
  organizationId: string;
  replayId: string;
  below: number;
  limit: number;
}

export interface JudgedPortion {
  done: number;
  /** Entries from this sequence on are done. */
  below: number;
  made: Tally;
}

export interface ReplayJudge {
  /** Resolves with fewer than the limit when there are no more. */
  judge(portion: ReplayPortion): Promise<JudgedPortion>;
}

const PROJECTION = {
  sequence: 1,
  traceId: 1,
  verdict: 1,
  schemaVersion: 1,
  view: 1,
  sealed: 1,
  content: 1,
  generation: 1,
} as const;

export function createReplayJudge({
  models,
  contents,
}: Pick<Platform, 'models' | 'contents'>): ReplayJudge {
  const sets = createReplaySets({ models });

  async function judgeOne(
    decision: StoredDecision,
    { organizationId, set }: TriedReplay,
    made: Tally,
  ): Promise<void> {
    const payload = payloadOf(decision);
    const judged = await sets.judgedBy(organizationId, payload.policySetDigest);
    const recorded = recordedDecision(decision, payload, judged);
    const found = recorded === null ? ({ untold: 'erased' } as const) : rejudge(recorded, set);
    count(made, decision, found);
  }

  return {
    async judge({ organizationId, replayId, below, limit }: ReplayPortion): Promise<JudgedPortion> {
      const tried = await sets.triedBy(organizationId, replayId);
      const { workspaceId } = tried;
      const page = await models.traces
        .find({ organizationId, workspaceId, sequence: { $lt: below } }, PROJECTION)
        .sort({ sequence: -1 })
        .limit(limit)
        .lean<StoredDecision[]>();
      const made = emptyTally();
      for (const decision of await contents.open(organizationId, page))
        await judgeOne(decision, tried, made);
      return { done: page.length, below: page.at(-1)?.sequence ?? below, made };
    },
  };
}
