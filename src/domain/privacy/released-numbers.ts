// Turns exact counts and sums of groups into the noised counts and means that a query releases (privacy.md).
import type { Random16 } from './chances.ts';
import { type Cost, type Mechanism, createNoise } from './mechanism.ts';

export const METRICS = ['count', 'meanConfidence'] as const;
export type Metric = (typeof METRICS)[number];
export const GROUPINGS = ['none', 'agent', 'status'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A confidence score is summed as a whole number of these, from the middle of its range: a decision moves a sum by at most half of them. */
export const SCORE_UNITS = 10_000;
const HALF_RANGE = SCORE_UNITS / 2;

/** The exact numbers of one group; every decision is in exactly one, so all groups together cost what one does. */
export interface ExactGroup {
  group: string;
  count: number;
  /** The sum of the scores, in units from the middle of their range. */
  sum: number;
}

export interface ReleasedGroup {
  group: string;
  value: number | null;
  /** The approximate deviation of a mean's noise; null when the mean is withheld, absent for a count. */
  standardDeviation?: number | null;
}

interface Release {
  metric: Metric;
  mechanism: Mechanism;
  cost: Cost;
}

/** One decision more or less changes one count by 1. */
const COUNT_SENSITIVITY = 1;

/** A count within this many deviations of its noise may be that of an empty group, which has no mean. */
const LEAST_DEVIATIONS = 3;

/** The numbers, and the standard deviation of the noise of each count that they are made of. */
export function releaseGroups(
  exact: readonly ExactGroup[],
  { metric, mechanism, cost }: Release,
  random16: Random16,
): { groups: ReleasedGroup[]; standardDeviation: number } {
  const part = metric === 'count' ? cost : splitCost(cost);
  const ofCount = createNoise(mechanism, part, COUNT_SENSITIVITY);
  const ofSum = createNoise(mechanism, part, HALF_RANGE);
  const groups = exact.map(({ group, count, sum }) => {
    const noisedCount = count + Number(ofCount.draw(random16));
    if (metric === 'count') return { group, value: noisedCount };
    const noisedSum = sum + Number(ofSum.draw(random16));
    return { group, ...computeMean({ noisedCount, noisedSum }, { ofCount, ofSum }) };
  });
  return { groups, standardDeviation: ofCount.standardDeviation };
}

/** A mean is made of two numbers, which share its cost. */
function splitCost({ epsilon, delta }: Cost): Cost {
  return { epsilon: Math.floor(epsilon / 2), delta: Math.max(1, Math.floor(delta / 2)) };
}

type NoiseWidth = Pick<ReturnType<typeof createNoise>, 'standardDeviation'>;

/** Uses noised numbers only, so nothing more is revealed; clamps the mean to the range of scores. */
function computeMean(
  { noisedCount, noisedSum }: Record<'noisedCount' | 'noisedSum', number>,
  { ofCount, ofSum }: Record<'ofCount' | 'ofSum', NoiseWidth>,
): Omit<ReleasedGroup, 'group'> {
  if (noisedCount < Math.max(1, LEAST_DEVIATIONS * ofCount.standardDeviation))
    return { value: null, standardDeviation: null };
  const offset = noisedSum / noisedCount;
  const score = Number(((offset + HALF_RANGE) / SCORE_UNITS).toFixed(4));
  const noise = Math.hypot(ofSum.standardDeviation, offset * ofCount.standardDeviation);
  const standardDeviation = Number((noise / noisedCount / SCORE_UNITS).toFixed(4));
  return { value: Math.min(1, Math.max(0, score)), standardDeviation };
}
