// How sure an agent is: the scores of its newest decisions in their order, and whether they drift.
import type { Point } from '../../parts/charts/line-of-scores.tsx';

const WINDOW = 20;
/** Decisions of either half, below which a difference says nothing. */
const LEAST = 20;
/** Standard errors that a difference has to exceed before it is called one. */
const CERTAIN = 3;

const computeMean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Scores from the oldest to the newest, each with the mean of the 20 that end there. */
export function toPoints(newestFirst: readonly number[]): Point[] {
  const scores = newestFirst.toReversed();
  return scores.map((score, at) => ({
    index: at + 1,
    score,
    mean: computeMean(scores.slice(Math.max(0, at - WINDOW + 1), at + 1)),
  }));
}

export interface Drift {
  before: number;
  now: number;
  /** Whether the difference is larger than chance makes it. */
  isClear: boolean;
}

function estimateVariance(values: readonly number[]): number {
  const mean = computeMean(values);
  return computeMean(values.map((value) => (value - mean) ** 2)) / (values.length - 1);
}

/** Compares the newer half of the scores with the older one; null: there are too few. */
export function measureDrift(newestFirst: readonly number[]): Drift | null {
  const half = Math.floor(newestFirst.length / 2);
  if (half < LEAST) return null;
  const [newer, older] = [newestFirst.slice(0, half), newestFirst.slice(half)];
  const [now, before] = [computeMean(newer), computeMean(older)];
  const error = Math.sqrt(estimateVariance(newer) + estimateVariance(older));
  return { now, before, isClear: Math.abs(now - before) > Math.max(0.01, CERTAIN * error) };
}
