// What a noised query releases: exact counts and sums of its groups in, noised counts and means out (docs/privacy.md).
import type { Random16 } from './chances.ts';
import { type Cost, type Mechanism, noiseFor } from './mechanism.ts';

export const METRICS = ['count', 'meanConfidence'] as const;
export type Metric = (typeof METRICS)[number];
export const GROUPINGS = ['none', 'agent', 'status'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A confidence score is summed as a whole number of these, from the middle of its range: a decision moves a sum by at most half of them. */
export const SCORE_UNITS = 10_000;
const HALF_RANGE = SCORE_UNITS / 2;

/** Of one group; every decision is in exactly one, so that all groups together cost what one does. */
export interface Exact {
  group: string;
  count: number;
  /** Of the scores, in units from the middle of their range. */
  sum: number;
}

export interface Released {
  group: string;
  value: number | null;
}

interface Release {
  metric: Metric;
  mechanism: Mechanism;
  cost: Cost;
}

/** One decision more or less changes one count by 1. */
const COUNT_SENSITIVITY = 1;

/** The numbers, and the standard deviation of the noise of each count. */
export function release(
  exact: readonly Exact[],
  { metric, mechanism, cost }: Release,
  random16: Random16,
): { groups: Released[]; standardDeviation: number } {
  const part = metric === 'count' ? cost : half(cost);
  const ofCount = noiseFor(mechanism, part, COUNT_SENSITIVITY);
  const ofSum = noiseFor(mechanism, part, HALF_RANGE);
  const groups = exact.map(({ group, count, sum }) => {
    const noisedCount = count + Number(ofCount.draw(random16));
    if (metric === 'count') return { group, value: noisedCount };
    return { group, value: meanOf(noisedCount, sum + Number(ofSum.draw(random16))) };
  });
  return { groups, standardDeviation: ofCount.standardDeviation };
}

/** A mean is of two numbers, which share its cost. */
function half({ epsilon, delta }: Cost): Cost {
  return { epsilon: Math.floor(epsilon / 2), delta: Math.max(1, Math.floor(delta / 2)) };
}

/** Of noised numbers alone, so that nothing more is revealed; within the range that scores have. */
function meanOf(count: number, sum: number): number | null {
  if (count < 1) return null;
  const score = (sum / count + HALF_RANGE) / SCORE_UNITS;
  return Math.min(1, Math.max(0, Number(score.toFixed(4))));
}
