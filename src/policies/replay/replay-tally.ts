// Counts the outcomes of a replay, and keeps examples of them.
import { OBSERVED_HOLD } from '../../domain/otlp/observed.ts';
import { UNKNOWN_REASONS, type Rejudged } from '../../domain/policies/trials/rejudge.ts';
import type { StoredDecision } from './recorded-decision.ts';
import type { PolicyReplayDocument, ReplayCounts, ReplayExample } from './policy-replays.model.ts';
import { replayLimits } from './replay.schemas.ts';

/** Counts and examples of a number of decisions. */
export interface Tally {
  counts: ReplayCounts;
  untold: PolicyReplayDocument['untold'];
  examples: ReplayExample[];
}

/** @param examples the examples that the replay has so far */
export function createTally(examples: readonly ReplayExample[] = []): Tally {
  return {
    counts: {
      allowToBlock: 0,
      blockToAllow: 0,
      unchanged: 0,
      cannotTell: 0,
      approvedToFlagged: 0,
      flaggedToApproved: 0,
      halting: 0,
    },
    untold: Object.fromEntries(UNKNOWN_REASONS.map((reason) => [reason, 0])) as Tally['untold'],
    examples: [...examples],
  };
}

/** Counts one decision. */
export function countRejudged(
  tally: Tally,
  { traceId, verdict, tags }: StoredDecision,
  found: Rejudged,
): void {
  // After the fact nothing is held; the policies said that it should be.
  const from = tags.includes(OBSERVED_HOLD) ? 'flagged' : verdict;
  const change = classifyChange(from, found);
  tally.counts[change]++;
  if ('untold' in found) tally.untold[found.untold]++;
  else if (found.isHalting) tally.counts.halting++;
  const shown = change === 'unchanged' ? classifyHold(from, found) : change;
  if (shown === null) return;
  if (shown !== change) tally.counts[shown]++;
  addExample(tally, toExample(traceId, { from, change: shown, found }));
}

/** What changed for the people who review; null: nothing. */
function classifyHold(
  from: string,
  found: Rejudged,
): 'approvedToFlagged' | 'flaggedToApproved' | null {
  if ('untold' in found) return null;
  if (from === 'approved' && found.verdict === 'flagged') return 'approvedToFlagged';
  return from === 'flagged' && found.verdict === 'approved' ? 'flaggedToApproved' : null;
}

/** Adds the tally of further decisions. */
export function addTally(tally: Tally, { counts, untold, examples }: Tally): void {
  for (const name of Object.keys(counts) as (keyof ReplayCounts)[])
    tally.counts[name] += counts[name];
  for (const reason of UNKNOWN_REASONS) tally.untold[reason] += untold[reason];
  for (const example of examples) addExample(tally, example);
}

/** Keeps the first few examples of each change. */
function addExample({ examples }: Tally, example: ReplayExample): void {
  const alike = examples.filter(({ change }) => change === example.change);
  if (alike.length < replayLimits.examples) examples.push(example);
}

/** Treats a held decision as allowed. */
function classifyChange(
  from: string,
  found: Rejudged,
): 'allowToBlock' | 'blockToAllow' | 'cannotTell' | 'unchanged' {
  if ('untold' in found) return 'cannotTell';
  if (found.isBlocked === (from === 'blocked')) return 'unchanged';
  return found.isBlocked ? 'allowToBlock' : 'blockToAllow';
}

function toExample(
  traceId: string,
  { from, change, found }: { from: string; change: ReplayExample['change']; found: Rejudged },
): ReplayExample {
  const common = { traceId, change, from };
  return 'untold' in found
    ? { ...common, to: null, matched: [], because: found.untold }
    : { ...common, to: found.verdict, matched: found.matched, because: null };
}
