// Tries one policy on one decision with the real engine, and explains every condition.
import type { JsonObject } from '@assay/json';
import {
  compilePolicies,
  type PolicySet,
  type ActionType,
  findHalting,
  type HaltReach,
  type PolicyDefinition,
  type PolicyVerdict,
} from '@assay/policy';
import { type ConditionFinding, explainConditions } from './explain.ts';

export interface DryRun {
  matched: boolean;
  /** The verdict by this policy alone. */
  verdict: PolicyVerdict['status'];
  action: ActionType;
  reason: string | null;
  /** What it would halt as well; null: nothing. */
  halts: HaltReach | null;
  /** Why it could not be evaluated: then a restricting policy counts as a match, any other does not. */
  error: string | null;
  explanation: ConditionFinding[];
}

/** Judges by this policy alone, whether it is enabled or not. */
export function tryPolicy(definition: PolicyDefinition, facts: JsonObject): DryRun {
  const { status, action, matched, failed } = compileTrial(definition).evaluate(facts);
  const [match] = matched;
  return {
    matched: match !== undefined,
    verdict: status,
    action,
    reason: match?.reason ?? null,
    halts: findHalting(matched)?.halt ?? null,
    error: match?.error ?? failed[0]?.error ?? null,
    explanation: explainConditions(definition, facts),
  };
}

/** A policy by itself, compiled once for many fixtures; cheaper than dry runs. */
export const compileTrial = (definition: PolicyDefinition): Pick<PolicySet, 'evaluate'> =>
  compilePolicies([definition]);
