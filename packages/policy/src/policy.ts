// Compiles one policy: everything that does not depend on the other policies of a set.
import { canonicalize } from '@assay/json';
import { compileCondition, type ConditionTest } from './condition.ts';
import type { Condition, LogicalOperator, PolicyDefinition } from './definition.ts';
import { findGuard } from './guards.ts';
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
}

/** Compiles one revision. */
export function compilePolicy(definition: PolicyDefinition): CompiledPolicy {
  const conditions = definition.conditions.map((condition) => ({
    ...condition,
    key: canonicalize([condition.field, condition.operator, condition.value]),
    test: compileCondition(condition),
  }));
  const joins = conditions.slice(0, -1).map(({ logicalOperator = 'AND' }) => logicalOperator);
  return {
    conditions,
    joins,
    guard: findGuard(conditions, joins),
    match: toPolicyMatch(definition),
    restricts: isRestricting(definition.actions),
    text: toDigestedText(definition),
  };
}

/** The policy's element of the digested array, as canonical JSON (docs/reference/formats.md). */
export function toDigestedText({ id, priority, conditions, actions }: PolicyDefinition): string {
  return canonicalize({ id, priority, conditions, actions });
}
