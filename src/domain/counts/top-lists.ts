// What acted most in a span, and in the span before it, from the counts of both.
import type { DecisionPath } from './decision-path.ts';

/** Decisions by the verdict at ingestion. */
interface Totals {
  count: number;
  held: number;
  blocked: number;
}

export interface TopItem extends Totals {
  key: string;
  before: Totals;
}

/** Decisions that are alike, at least in their verdict. */
interface Counted extends Pick<DecisionPath, 'verdict'> {
  count: number;
}

export interface CountedKeyPath extends DecisionPath {
  count: number;
}

/** `toKeys`: what decisions count for, each key once. The most frequent first. */
export function rankTop<C extends Counted>(
  spans: { now: readonly C[]; before: readonly C[] },
  toKeys: (counted: C) => readonly string[],
): TopItem[] {
  const before = sumTotals(spans.before, toKeys);
  const items = [...sumTotals(spans.now, toKeys)].map(([key, totals]) => ({
    key,
    ...totals,
    before: before.get(key) ?? NOTHING,
  }));
  return items.sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}

const NOTHING: Totals = { count: 0, held: 0, blocked: 0 };

function sumTotals<C extends Counted>(
  all: readonly C[],
  toKeys: (counted: C) => readonly string[],
): Map<string, Totals> {
  const sums = new Map<string, Totals>();
  for (const counted of all)
    for (const key of new Set(toKeys(counted))) {
      const sum = sums.get(key) ?? { ...NOTHING };
      sum.count += counted.count;
      if (counted.verdict === 'flagged') sum.held += counted.count;
      if (counted.verdict === 'blocked') sum.blocked += counted.count;
      sums.set(key, sum);
    }
  return sums;
}

/** The action by which a policy brings about a verdict, the strongest first. */
const ACTIONS = {
  blocked: ['block'],
  flagged: ['flag_for_review'],
  approved: ['notify', 'approve'],
} as const;

/**
 * The policy that decided: the first that matched whose actions bring about the verdict, as they are by now; `none`: no
 * policy matched. `findActions`: undefined for one that is not known.
 */
export function findDecidingId(
  { policies, verdict }: DecisionPath,
  findActions: (policyId: string) => readonly string[] | undefined,
): string {
  for (const action of ACTIONS[verdict]) {
    const found = policies.find((id) => findActions(id)?.includes(action) === true);
    if (found !== undefined) return found;
  }
  return policies[0] ?? 'none';
}
