// Sums up newly counted decisions per month: the count so far, and how many exceed the plan's limit.
import type { Reading } from './meter.ts';

export interface MeterStep {
  /** `YYYY-MM`. */
  month: string;
  /** Decisions of the month so far. */
  count: number;
  /** How many of the new decisions exceed the limit. */
  beyond: number;
  /** When the last of them was counted. */
  at: Date;
}

/** One step for each month, in the order of the entries. */
export function toMeterSteps(
  entries: readonly Omit<Reading, 'sequence'>[],
  limit: number,
): MeterStep[] {
  const steps = new Map<string, MeterStep>();
  for (const { usage, createdAt: at } of entries) {
    const before = steps.get(usage.month)?.beyond ?? 0;
    const beyond = before + (usage.count > limit ? 1 : 0);
    steps.set(usage.month, { month: usage.month, count: usage.count, beyond, at });
  }
  return [...steps.values()];
}
