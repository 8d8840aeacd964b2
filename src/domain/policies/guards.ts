// Which policies need a look at all: an index of the policies by the `equals` conditions that they cannot match without.
import type { Json } from '../record/json.ts';
import type { LogicalOperator } from './definition.ts';
import type { Evaluation } from './evaluate.ts';
import type { CompiledCondition } from './policy.ts';

/**
 * The smallest guard that reading the chain gives: conditions of which at least one holds whenever the chain does, all of them
 * indexable; null when there is none. `a AND b` is guarded by what guards a or by what guards b, `a OR b` only by both together.
 * Sound for errors too, since an unknown condition never makes up for a false guard.
 */
export function guardOf<T extends CompiledCondition>(
  conditions: readonly T[],
  joins: readonly LogicalOperator[],
): T[] | null {
  let guard: T[] | null = null;
  for (const [i, condition] of conditions.entries()) {
    const own = isIndexable(condition) ? [condition] : null;
    if (i === 0) guard = own;
    else if (joins[i - 1] === 'AND') guard = smaller(guard, own);
    else guard = guard === null || own === null ? null : [...guard, ...own];
  }
  return guard;
}

/** The policies of a set, by position, that have to be judged for the facts of a run. */
export interface GuardIndex {
  /** Calls `visit` once for each of them, in no order. */
  visit(run: Evaluation, visit: (position: number) => void): void;
}

/** Indexes the guards of a set's policies, given by position; `fieldOf` numbers a field path as the run does. */
export function indexGuards(
  guards: readonly (CompiledCondition[] | null)[],
  fieldOf: (path: string) => number,
): GuardIndex {
  const always: number[] = [];
  const byField = new Map<number, Map<Json, Set<number>>>();
  for (const [position, guard] of guards.entries()) {
    if (guard === null) always.push(position);
    for (const { field, value } of guard ?? []) {
      const byValue = entry(byField, fieldOf(field), () => new Map<Json, Set<number>>());
      entry(byValue, value, () => new Set<number>()).add(position);
    }
  }
  return {
    visit(run, visit) {
      always.forEach(visit);
      guarded(byField, run).forEach(visit);
    },
  };
}

function guarded(byField: Map<number, Map<Json, Set<number>>>, run: Evaluation): Set<number> {
  const found = new Set<number>();
  for (const [field, byValue] of byField) {
    const value = run.value(field);
    if (value !== undefined) byValue.get(value)?.forEach((position) => found.add(position));
  }
  return found;
}

function isIndexable({ operator, value }: CompiledCondition): boolean {
  return operator === 'equals' && (value === null || typeof value !== 'object');
}

function smaller<T>(a: T[] | null, b: T[] | null): T[] | null {
  if (a === null || b === null) return a ?? b;
  return b.length < a.length ? b : a;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
