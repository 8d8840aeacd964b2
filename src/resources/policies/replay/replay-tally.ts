// What a replay counts and shows of the decisions that it went over.
import { UNTOLD, type Rejudged } from '../../../domain/policies/trials/rejudge.ts';
import type { StoredDecision } from './recorded-decision.ts';
import type { PolicyReplayDocument, ReplayCounts, ReplayExample } from './policy-replays.model.ts';
import { replayLimits } from './replay.schemas.ts';

/** Of some decisions, to be added to what is stored. */
export interface Tally {
  counts: ReplayCounts;
  untold: PolicyReplayDocument['untold'];
  examples: ReplayExample[];
}

export function emptyTally(examples: readonly ReplayExample[]): Tally {
  return {
    counts: {
      allowToBlock: 0,
      blockToAllow: 0,
      unchanged: 0,
      cannotTell: 0,
      approvedToFlagged: 0,
      flaggedToApproved: 0,
    },
    untold: Object.fromEntries(UNTOLD.map((reason) => [reason, 0])) as Tally['untold'],
    examples: [...examples],
  };
}

/** Counts one decision. */
export function count(
  tally: Tally,
  { traceId, verdict: from }: StoredDecision,
  found: Rejudged,
): void {
  const change = changeOf(from, found);
  tally.counts[change]++;
  if ('untold' in found) tally.untold[found.untold]++;
  else if (from === 'approved' && found.verdict === 'flagged') tally.counts.approvedToFlagged++;
  else if (from === 'flagged' && found.verdict === 'approved') tally.counts.flaggedToApproved++;
  if (change === 'unchanged') return;
  const shown = tally.examples.filter((example) => example.change === change);
  if (shown.length < replayLimits.examples)
    tally.examples.push(exampleOf(traceId, { from, change, found }));
}

/** A decision that was held counts as let pass. */
function changeOf(from: string, found: Rejudged): ReplayExample['change'] | 'unchanged' {
  if ('untold' in found) return 'cannotTell';
  if (found.isBlocked === (from === 'blocked')) return 'unchanged';
  return found.isBlocked ? 'allowToBlock' : 'blockToAllow';
}

function exampleOf(
  traceId: string,
  { from, change, found }: { from: string; change: ReplayExample['change']; found: Rejudged },
): ReplayExample {
  const common = { traceId, change, from };
  return 'untold' in found
    ? { ...common, to: null, matched: [], because: found.untold }
    : { ...common, to: found.verdict, matched: found.matched, because: null };
}
