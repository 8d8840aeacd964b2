// The course of a privacy budget over its window, in at most 120 steps.
import type { components } from '../../api/schema.gen.d.ts';
import type { BurnDay } from '../../parts/charts/burn-down.tsx';

export type Budget = components['schemas']['PrivacyBudget'];

const DAY_MS = 86_400_000;
const MOST_STEPS = 120;

const toDate = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Left when each day begins; what was spent before days were counted is gone from the first one on. */
export function measureBurnDown(budget: Budget, now: number): BurnDay[] {
  const { epsilonCap, epsilonSpent, spendByDay } = budget;
  const [from, to] = [Date.parse(budget.windowStartedAt), Date.parse(budget.windowResetsAt)];
  const count = Math.max(1, Math.ceil((to - from) / DAY_MS));
  const step = Math.ceil(count / MOST_STEPS);
  const today = toDate(now);
  const counted = spendByDay.reduce((sum, { epsilon }) => sum + epsilon, 0);
  const uncounted = Math.max(0, epsilonSpent - counted);
  const days: BurnDay[] = [];
  for (let number = 0; number <= count; number += step) {
    const day = toDate(from + number * DAY_MS);
    const spent = spendByDay.reduce(
      (sum, { date, epsilon }) => sum + (date < day ? epsilon : 0),
      0,
    );
    const dayBefore = toDate(from + (number - step) * DAY_MS);
    const left = Math.max(0, epsilonCap - uncounted - spent);
    const even = epsilonCap * (1 - Math.min(1, number / count));
    days.push({ day, left: dayBefore <= today ? left : null, even });
  }
  return days;
}

/** When the budget ends at the pace so far; null: it outlasts the window, or a day has not passed yet. */
export function estimateEnd(budget: Budget, now: number): number | null {
  const { epsilonCap, epsilonSpent } = budget;
  const from = Date.parse(budget.windowStartedAt);
  if (epsilonSpent === 0 || epsilonSpent >= epsilonCap || now - from < DAY_MS) return null;
  const end = from + ((now - from) * epsilonCap) / epsilonSpent;
  return end < Date.parse(budget.windowResetsAt) ? end : null;
}
