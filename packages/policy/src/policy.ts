// Compiles one policy: everything that does not depend on the other policies of a set.
import { canonicalize } from '@assay/json';
import { compileCondition, type ConditionTest } from './condition.ts';
import type { Condition, LogicalOperator, PolicyDefinition } from './definition.ts';
import { findGuard } from './guards.ts';
import { type NamedLists, withListDigest } from './values/lists.ts';
import { toPolicyMatch, isRestricting, type Match } from './verdict.ts';

/** A condition with its predicate; equal conditions of different policies have the same key. */
export interface CompiledCondition extends Condition {
  key: string;
  test: ConditionTest;
}

export interface CompiledPolicy {
  conditions: CompiledCondition[];
  /** `joins[i]` joins condition i with condition i + 1. */
  joins: LogicalOperator[];
  /** See `findGuard`. */
  guard: CompiledCondition[] | null;
  match: Match;
  /** Whether an error counts as a match. */
  restricts: boolean;
  /** See `toDigestedText`. */
  text: string;
  /** It changes no verdict. */
  observes: boolean;
  /** The digests of the lists that it names; absent where it names none. */
  lists?: Record<string, { digest: string }>;
}

/** Compiles one revision. */
export function compilePolicy(definition: PolicyDefinition): CompiledPolicy {
  const { lists } = definition;
  const conditions = definition.conditions.map((condition) => ({
    ...condition,
    key: toConditionKey(condition, lists),
    test: compileCondition(condition, lists),
  }));
  const joins = conditions.slice(0, -1).map(({ logicalOperator = 'AND' }) => logicalOperator);
  return {
    conditions,
    joins,
    guard: findGuard(conditions, joins),
    match: toPolicyMatch(definition),
    restricts: isRestricting(definition.actions),
    text: toDigestedText(definition),
    observes: definition.observe === true,
    ...(lists && { lists: toListDigests(lists) }),
  };
}

/** The policy's element of the digested array, as canonical JSON (docs/reference/formats.md). */
export function toDigestedText({
  id,
  priority,
  conditions,
  actions,
  lists,
  observe,
}: PolicyDefinition): string {
  const digested = lists
    ? conditions.map((one) => ({ ...one, value: withListDigest(one.value, lists) }))
    : conditions;
  const observing = observe === true ? { observe } : {};
  return canonicalize({ id, priority, conditions: digested, actions, ...observing });
}

function toListDigests(lists: NamedLists): Record<string, { digest: string }> {
  return Object.fromEntries(Object.entries(lists).map(([name, { digest }]) => [name, { digest }]));
}

function toConditionKey(
  { field, operator, value, not: isNegated }: Condition,
  lists: NamedLists | undefined,
): string {
  return canonicalize([field, operator, withListDigest(value, lists), isNegated === true]);
}
