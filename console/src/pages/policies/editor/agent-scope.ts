// The agents that a policy is for: its one condition on their names, which all others are joined to by "and".
import type { PolicyContents } from '../policy-queries.ts';

type Condition = PolicyContents['conditions'][number];

const FIELD = 'agentName';

/** Names of a condition that does nothing but choose agents; null: it is another condition. */
function readNames({ field, operator, value, not: isNegated }: Condition): string[] | null {
  if (field !== FIELD || isNegated === true) return null;
  const names: unknown = operator === 'equals' ? [value] : operator === 'in' && value;
  const isNamed = Array.isArray(names) && names.every((name) => typeof name === 'string');
  return isNamed ? names : null;
}

/** The agents; empty: all of them. Null: conditions are joined by "or", so that no condition holds for all. */
export function readAgents(conditions: readonly Condition[]): string[] | null {
  if (conditions.some(({ logicalOperator }) => logicalOperator === 'OR')) return null;
  return conditions.map(readNames).find((names) => names !== null) ?? [];
}

/** The conditions with other agents, of a rule without "or". */
export function withAgents(
  conditions: readonly Condition[],
  names: readonly string[],
): Condition[] {
  const at = conditions.findIndex((condition) => readNames(condition) !== null);
  const others = conditions.toSpliced(at, at === -1 ? 0 : 1);
  const all = names.length === 0 ? others : others.toSpliced(Math.max(at, 0), 0, choose(names));
  return all.map(({ logicalOperator: _joined, ...condition }, index) =>
    index < all.length - 1 ? { ...condition, logicalOperator: 'AND' } : condition,
  );
}

const choose = (names: readonly string[]): Condition =>
  names.length === 1
    ? { field: FIELD, operator: 'equals', value: names[0] }
    : { field: FIELD, operator: 'in', value: [...names] };
