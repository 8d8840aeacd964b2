// The Compliance Performance Index: how often people agreed with what was held and what was let pass (docs/cpi.md).

/** Decisions that a person has judged, by what had become of them and by what the person said; each counts once, by its newest verdict. */
export interface JudgedCounts {
  /** Held, and rightly: rejected or corrected. */
  correctFlags: number;
  /** Held, and approved. */
  falseFlags: number;
  /** Let pass, and corrected. */
  misses: number;
  /** Let pass, and approved. */
  confirmations: number;
  /** Of all of these: the verdict overrode what stood. */
  overridden: number;
}
export type JudgedCount = keyof JudgedCounts;

export const NOTHING_JUDGED: JudgedCounts = {
  correctFlags: 0,
  falseFlags: 0,
  misses: 0,
  confirmations: 0,
  overridden: 0,
};

/** Changes whenever the same counts would give another index. */
export const CPI_FORMULA = 'cpi-1';
/** Fewer judged decisions say nothing. */
export const MINIMUM_SAMPLE = 20;
/** A decision that was wrongly held costs a person's time, one that was wrongly let pass is done. */
const FALSE_FLAG_WEIGHT = 0.5;

export interface Cpi {
  /** 0 to 100, one decimal; null below the minimum sample. */
  score: number | null;
  sampleSize: number;
  /** Shares to four decimals; null where there is nothing to divide by. */
  correctFlagRate: number | null;
  falseFlagRate: number | null;
  humanOverrideRate: number | null;
}

export function sampleSize(counts: JudgedCounts): number {
  return counts.correctFlags + counts.falseFlags + counts.misses + counts.confirmations;
}

export function cpiOf(counts: JudgedCounts): Cpi {
  const { correctFlags, falseFlags, misses, overridden } = counts;
  const judged = sampleSize(counts);
  const flags = correctFlags + falseFlags;
  const weighted = misses + FALSE_FLAG_WEIGHT * falseFlags;
  return {
    score: judged < MINIMUM_SAMPLE ? null : Math.round(1000 * (1 - weighted / judged)) / 10,
    sampleSize: judged,
    correctFlagRate: shareOf(correctFlags, flags),
    falseFlagRate: shareOf(falseFlags, flags),
    humanOverrideRate: shareOf(overridden, judged),
  };
}

/** Which count a verdict goes to. `isHeld`: policies had not let the decision pass; `isRight`: the person approved it. */
export function countOf({ isHeld, isRight }: { isHeld: boolean; isRight: boolean }): JudgedCount {
  if (isHeld) return isRight ? 'falseFlags' : 'correctFlags';
  return isRight ? 'confirmations' : 'misses';
}

/** To four decimals; null of nothing. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
