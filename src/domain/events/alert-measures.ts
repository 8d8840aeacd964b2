// What alert rules measure every minute: shares of the decisions of some hours, and ages; and when that is worth an alert.

/** Parts of the decisions of a window: held, blocked; of those carried out, failed. */
export const ALERT_SHARES = ['heldShare', 'blockedShare', 'failedShare'] as const;
export type AlertShare = (typeof ALERT_SHARES)[number];

/** Minutes that the oldest held decision waits; that an agent has decided nothing. */
export const ALERT_AGES = ['oldestHoldMinutes', 'agentSilenceMinutes'] as const;
export type AlertAge = (typeof ALERT_AGES)[number];

const MEASURED: ReadonlySet<string> = new Set([...ALERT_SHARES, ...ALERT_AGES]);

export const isMeasured = <T extends { field: string }>(
  condition: T,
): condition is Extract<T, { field: AlertShare | AlertAge }> => MEASURED.has(condition.field);

/** Decisions of a window by verdict, and how those ended that were carried out. */
export interface DecisionWindow {
  approved: number;
  flagged: number;
  blocked: number;
  /** Executions that ended, in any way. */
  ended: number;
  failed: number;
}

/** A share, and the number of decisions that it is of. */
export interface MeasuredShare {
  share: number;
  of: number;
}

export function computeAlertShare(field: AlertShare, counts: DecisionWindow): MeasuredShare {
  const { approved, flagged, blocked, ended, failed } = counts;
  const parts = { heldShare: flagged, blockedShare: blocked, failedShare: failed };
  const of = field === 'failedShare' ? ended : approved + flagged + blocked;
  return { share: of === 0 ? 0 : Math.round((parts[field] / of) * 10_000) / 10_000, of };
}

/** What a rule was about when it was measured last; `basis`: the condition that it had. */
export interface RuleStanding {
  basis: string;
  subjects: readonly string[];
}

interface Measured {
  basis: string;
  /** What meets the condition now. */
  met: readonly string[];
  /** The rule has acted a moment ago. */
  isQuiet: boolean;
}

/**
 * What begins to meet a condition is an alert; what goes on is none. In the quiet period of the rule nothing begins: it
 * does so afterwards, if it still stands.
 */
export function judgeStanding(
  before: RuleStanding | null,
  { basis, met, isQuiet }: Measured,
): { fresh: string[]; standing: RuleStanding } {
  const known = new Set(before?.basis === basis ? before.subjects : []);
  const fresh = isQuiet ? [] : met.filter((subject) => !known.has(subject));
  const subjects = isQuiet ? met.filter((subject) => known.has(subject)) : met;
  return { fresh, standing: { basis, subjects } };
}
