// Judges a portion of a replay again. It runs in a worker thread: request and answer are plain values.
import type { Platform } from '../../platform/platform.ts';
import { evaluateTriedSet } from '../../domain/policies/trials/rejudge.ts';
import {
  parseTracePayload,
  STORED_DECISION,
  toRecordedDecision,
  type StoredDecision,
} from './recorded-decision.ts';
import { loadJudgingRevisions, loadTriedReplay } from './replay-sets.service.ts';
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

/** Resolves with fewer than the limit when there are no more. */
export async function evaluatePortion(
  { models, contents }: Pick<Platform, 'models' | 'contents'>,
  { organizationId, replayId, below, limit }: ReplayPortion,
): Promise<JudgedPortion> {
  const tried = await loadTriedReplay(models, organizationId, replayId);
  const { workspaceId } = tried;
  const page = await models.traces
    .find({ organizationId, workspaceId, sequence: { $lt: below } }, STORED_DECISION)
    .sort({ sequence: -1 })
    .limit(limit)
    .lean<StoredDecision[]>();
  const tally = createTally();
  for (const decision of await contents.decryptDocuments(organizationId, page)) {
    const payload = parseTracePayload(decision);
    const judged = await loadJudgingRevisions(models, organizationId, payload.policySetDigest);
    const recorded = toRecordedDecision(decision, payload, judged);
    const found =
      recorded === null ? ({ untold: 'erased' } as const) : evaluateTriedSet(recorded, tried.set);
    countRejudged(tally, decision, found);
  }
  return { done: page.length, below: page.at(-1)?.sequence ?? below, tally };
}
