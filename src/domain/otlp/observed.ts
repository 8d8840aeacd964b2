// Decisions after the fact: what was done before it was reported, such as a span of OpenTelemetry.
import type { Json } from '../record/json.ts';

/** The tag of all of them: the act was not asked for, or not as it was done. */
export const OBSERVED = 'OBSERVED';
/** The tag of one that a policy would have held: it is done, and no review could stop it. */
export const OBSERVED_HOLD = 'OBSERVED_HOLD';
/** The tag of one whose arguments were not reported. */
export const NO_ARGUMENTS = 'NO_ARGUMENTS';
/** The tag of an act that was asked for, and done without its permission. */
export const AGAINST_VERDICT = 'AGAINST_VERDICT';

/** The decision under which an act was requested. */
export interface AskedDecision {
  /** It was approved at once and still is; a decision after the fact permits nothing. */
  isPermitted: boolean;
  /** The action is claimed before it is executed, also when it was approved at once. */
  isSingleUse: boolean;
  /** The state of its one execution; null: it was not claimed. */
  execution: 'claimed' | 'succeeded' | 'failed' | 'unknown' | null;
}

/**
 * How an act stands to the decision that it was asked for under. `reported`: who claimed it says what became of it;
 * `unheard`: nothing was heard of it; `unclaimed`: no claim was required; `against`: it was not permitted.
 */
export type ActStanding = 'reported' | 'unheard' | 'unclaimed' | 'against';

export function compareAct({ isPermitted, isSingleUse, execution }: AskedDecision): ActStanding {
  if (execution === 'unknown') return 'unheard';
  if (execution !== null) return 'reported';
  return isPermitted && !isSingleUse ? 'unclaimed' : 'against';
}

/** Whether a decision after the fact is a breach: blocked, held, or against the verdict that it got. */
export const isBreach = (
  verdict: 'approved' | 'flagged' | 'blocked',
  tags: readonly string[],
): boolean =>
  tags.includes(OBSERVED) &&
  (verdict === 'blocked' || tags.includes(OBSERVED_HOLD) || tags.includes(AGAINST_VERDICT));

/** Whether the member `adapter` of a decision says that it is one. */
export function isObserved(adapter: Json): boolean {
  const { kind, mode } = Object(adapter) as { kind?: unknown; mode?: unknown };
  return kind === 'otlp' && mode === 'observed';
}
