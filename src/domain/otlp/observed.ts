// Decisions after the fact: what was done before it was reported, such as a span of OpenTelemetry.
import type { Json } from '@assay/json';

/** The tag of all of them: no decision guards the call, or it differs from the one that was decided. */
export const OBSERVED = 'OBSERVED';
/** The tag of an observed decision that a policy would have held: no review could stop it any more. */
export const OBSERVED_HOLD = 'OBSERVED_HOLD';
/** The tag of one whose arguments were not reported. */
export const NO_ARGUMENTS = 'NO_ARGUMENTS';
/** The tag of a guarded call that was executed without permission. */
export const AGAINST_VERDICT = 'AGAINST_VERDICT';

/** The decision that guards a call. */
export interface GuardingDecision {
  /** It was approved at once and still is; a decision after the fact permits nothing. */
  isPermitted: boolean;
  /** The action is claimed before it is executed, also when it was approved at once. */
  isSingleUse: boolean;
  /** The state of its one execution; null: it was not claimed. */
  execution: 'claimed' | 'succeeded' | 'failed' | 'unknown' | null;
}

/**
 * How an executed call relates to the decision that guards it. `reported`: its claim reports the outcome;
 * `outcome-missing`: it was claimed, and no outcome came; `unclaimed`: no claim was required; `not-permitted`: no
 * decision permitted it.
 */
export type CallStatus = 'reported' | 'outcome-missing' | 'unclaimed' | 'not-permitted';

export function compareCall({ isPermitted, isSingleUse, execution }: GuardingDecision): CallStatus {
  if (execution === 'unknown') return 'outcome-missing';
  if (execution !== null) return 'reported';
  return isPermitted && !isSingleUse ? 'unclaimed' : 'not-permitted';
}

/** Whether a decision after the fact is a violation: blocked, held, or against the verdict that it got. */
export const isViolation = (
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
