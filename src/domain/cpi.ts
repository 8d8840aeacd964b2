// The Compliance Performance Index: how often reviewers agreed with held and passed decisions (docs/reference/cpi.md).

/** Counts of reviewed decisions by outcome and verdict; each decision counts once, with its newest verdict. */
export interface JudgedCounts {
  /** Held, then rejected or corrected. */
  correctFlags: number;
  /** Held, then approved. */
  falseFlags: number;
  /** Passed, then corrected. */
  misses: number;
  /** Passed, then approved. */
  confirmations: number;
  /** All reviewed decisions whose verdict was an override. */
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

/** The version of the formula: it changes whenever the same counts would give another index. */
export const CPI_FORMULA = 'cpi-1';
/** The number of reviewed decisions below which there is no score. */
export const MINIMUM_SAMPLE = 20;
/** A wrongly held decision only costs a reviewer's time, so it weighs half as much as one that wrongly passed. */
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

export function countSample(counts: JudgedCounts): number {
  return counts.correctFlags + counts.falseFlags + counts.misses + counts.confirmations;
}

export function computeCpi(counts: JudgedCounts): Cpi {
  const { correctFlags, falseFlags, misses, overridden } = counts;
  const judged = countSample(counts);
  const flags = correctFlags + falseFlags;
  const weighted = misses + FALSE_FLAG_WEIGHT * falseFlags;
  return {
    score: judged < MINIMUM_SAMPLE ? null : Math.round(1000 * (1 - weighted / judged)) / 10,
    sampleSize: judged,
    correctFlagRate: computeRatio(correctFlags, flags),
    falseFlagRate: computeRatio(falseFlags, flags),
    humanOverrideRate: computeRatio(overridden, judged),
  };
}

/**
 * The count that a verdict belongs to. `isHeld`: policies stopped the decision; `isRight`: the reviewer approved it.
 */
export function selectCount({
  isHeld,
  isRight,
}: {
  isHeld: boolean;
  isRight: boolean;
}): JudgedCount {
  if (isHeld) return isRight ? 'falseFlags' : 'correctFlags';
  return isRight ? 'confirmations' : 'misses';
}

/** The share to four decimals; null when `whole` is 0. */
export function computeRatio(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
