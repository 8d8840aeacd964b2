// Judges a portion of a replay again. It runs in a worker thread: request and answer are plain values.
import type { Platform } from '../../platform/platform.ts';
import { evaluateTriedSet } from '../../domain/policies/trials/rejudge.ts';
import {
  parseTracePayload,
  STORED_DECISION,
  toRecordedDecision,
  type StoredDecision,
} from './recorded-decision.ts';
import { createReplaySets, type TriedReplay } from './replay-sets.service.ts';
import { countRejudged, createTally, type Tally } from './replay-tally.ts';

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
  tally: Tally;
}

export interface ReplayJudge {
  /** Resolves with fewer than the limit when there are no more. */
  evaluatePortion(portion: ReplayPortion): Promise<JudgedPortion>;
}

export function createReplayJudge({
  models,
  contents,
}: Pick<Platform, 'models' | 'contents'>): ReplayJudge {
  const sets = createReplaySets({ models });

  async function evaluateDecision(
    decision: StoredDecision,
    { organizationId, set }: TriedReplay,
    tally: Tally,
  ): Promise<void> {
    const payload = parseTracePayload(decision);
    const judged = await sets.loadJudgingRevisions(organizationId, payload.policySetDigest);
    const recorded = toRecordedDecision(decision, payload, judged);
    const found =
      recorded === null ? ({ untold: 'erased' } as const) : evaluateTriedSet(recorded, set);
    countRejudged(tally, decision, found);
  }

  return {
    async evaluatePortion({
      organizationId,
      replayId,
      below,
      limit,
    }: ReplayPortion): Promise<JudgedPortion> {
      const tried = await sets.loadTriedReplay(organizationId, replayId);
      const { workspaceId } = tried;
      const page = await models.traces
        .find({ organizationId, workspaceId, sequence: { $lt: below } }, STORED_DECISION)
        .sort({ sequence: -1 })
        .limit(limit)
        .lean<StoredDecision[]>();
      const tally = createTally();
      for (const decision of await contents.decryptDocuments(organizationId, page))
        await evaluateDecision(decision, tried, tally);
      return { done: page.length, below: page.at(-1)?.sequence ?? below, tally };
    },
  };
}
