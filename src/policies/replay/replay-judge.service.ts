// Judges a portion of a replay again. It runs in a worker thread: request and answer are plain values.
import type { Models } from '../../models.ts';
import type { Verdict } from '../../decisions/traces/traces.model.ts';
import type { Platform } from '../../platform/platform.ts';
import { OBSERVED_HOLD } from '../../domain/otlp/observed.ts';
import {
  evaluateTriedSet,
  findDeciding,
  type Rejudged,
  type TriedSet,
  type UnknownReason,
} from '../../domain/policies/trials/rejudge.ts';
import {
  parseTracePayload,
  STORED_DECISION,
  toRecordedDecision,
  type StoredDecision,
} from './recorded-decision.ts';
import { loadJudgingRevisions, loadStoredSet, loadTriedReplay } from './replay-sets.service.ts';
import { countRejudged, createTally, type Tally } from './replay-tally.ts';

/** The newest decisions of a replay before a sequence. */
export interface ReplayPortion {
  kind: 'portion';
  organizationId: string;
  replayId: string;
  below: number;
  limit: number;
}

/** Decisions that a stored set of policies is to judge again. */
export interface DecisionPortion {
  kind: 'decisions';
  organizationId: string;
  /** Names the set. */
  digest: string;
  sequences: readonly number[];
}

export interface RejudgedDecision {
  traceId: string;
  sequence: number;
  /** The verdict on its day. */
  from: Verdict;
  /** Null: it is unknown. */
  to: Verdict | null;
  /** The policy that would decide; null: none. */
  policyId: string | null;
  /** Why `to` is unknown; null beside a `to` of null: only whether it would be held is. */
  because: UnknownReason | null;
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
  for (const decision of await contents.decryptDocuments(organizationId, page))
    countRejudged(
      tally,
      decision,
      await evaluateAgain(models, organizationId, { decision, tried: tried.set }),
    );
  return { done: page.length, below: page.at(-1)?.sequence ?? below, tally };
}

async function evaluateAgain(
  models: Models,
  organizationId: string,
  { decision, tried }: { decision: StoredDecision; tried: TriedSet },
): Promise<Rejudged> {
  const payload = parseTracePayload(decision);
  const judged = await loadJudgingRevisions(models, organizationId, payload.policySetDigest);
  const recorded = toRecordedDecision(decision, payload, judged);
  return recorded === null ? { untold: 'erased' } : evaluateTriedSet(recorded, tried);
}

/** The newest first. */
export async function evaluateDecisions(
  { models, contents }: Pick<Platform, 'models' | 'contents'>,
  { organizationId, digest, sequences }: DecisionPortion,
): Promise<RejudgedDecision[]> {
  const tried = await loadStoredSet(models, organizationId, digest);
  const found = await models.traces
    .find({ organizationId, sequence: { $in: sequences } }, STORED_DECISION)
    .sort({ sequence: -1 })
    .lean<StoredDecision[]>();
  const judged: RejudgedDecision[] = [];
  for (const decision of await contents.decryptDocuments(organizationId, found)) {
    const outcome = await evaluateAgain(models, organizationId, { decision, tried });
    const { traceId, sequence, tags, verdict } = decision;
    const from = tags.includes(OBSERVED_HOLD) ? 'flagged' : verdict;
    judged.push({ traceId, sequence, from, ...describeOutcome(outcome, tried) });
  }
  return judged;
}

function describeOutcome(outcome: Rejudged, tried: TriedSet) {
  if ('untold' in outcome) return { to: null, policyId: null, because: outcome.untold };
  return { to: outcome.verdict, policyId: findDeciding(outcome, tried), because: null };
}
