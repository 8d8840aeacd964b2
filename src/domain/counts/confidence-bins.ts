// The confidence of decisions in twenty bins of the same width.

export const CONFIDENCE_BINS = 20;

/** The bin of a score of 0 to 1; a full score is in the last one. Null: it has none, or it is erased. */
export function toConfidenceBin(score: number | null | undefined): number | null {
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return null;
  // Scores have four decimals: 0.15 times 20 must be 3.
  return Math.min(
    CONFIDENCE_BINS - 1,
    Math.floor((Math.round(score * 10_000) * CONFIDENCE_BINS) / 10_000),
  );
}
