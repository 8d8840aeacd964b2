// Tries one policy on one decision with the real engine, and explains every condition.
import { readPath, splitPath } from '../fields.ts';
import type { JsonObject } from '../../record/json.ts';
import { Work, workLimits } from '../../work.ts';
import { compilePolicies } from '../compile.ts';
import type { ActionType, Condition, PolicyDefinition } from '../definition.ts';
import { compilePolicy, type CompiledCondition } from '../policy.ts';
import type { PolicyVerdict } from '../verdict.ts';

/** The result of one condition, independent of the others. */
export interface ConditionFinding {
  condition: Condition;
  matched: boolean;
  /** Why it could not be evaluated; null when it could. */
  error: string | null;
}

export interface DryRun {
  matched: boolean;
  /** The verdict by this policy alone. */
  verdict: PolicyVerdict['status'];
  action: ActionType;
  reason: string | null;
  /** Why it could not be evaluated: then a restricting policy counts as a match, any other does not. */
  error: string | null;
  explanation: ConditionFinding[];
}

/** Judges by this policy alone, whether it is enabled or not. */
export function tryPolicy(definition: PolicyDefinition, facts: JsonObject): DryRun {
  const { status, action, matched, failed } = compilePolicies([definition]).evaluate(facts);
  const [match] = matched;
  return {
    matched: match !== undefined,
    verdict: status,
    action,
    reason: match?.reason ?? null,
    error: match?.error ?? failed[0]?.error ?? null,
    explanation: explain(definition, facts),
  };
}

/** The action by this policy alone; cheaper than a dry run. */
export function evaluateAction(definition: PolicyDefinition, facts: JsonObject): ActionType {
  return compilePolicies([definition]).evaluate(facts).action;
}

/** All conditions share the work budget of one decision, as in a real judgement. */
function explain(definition: PolicyDefinition, facts: JsonObject): ConditionFinding[] {
  const work = new Work(workLimits.conditions);
  const findings: ConditionFinding[] = [];
  for (const [i, compiled] of compilePolicy(definition).conditions.entries()) {
    const finding = testCondition(compiled, facts, work);
    const isEvaluated = typeof finding === 'boolean';
    findings.push({
      condition: definition.conditions[i] as Condition,
      matched: isEvaluated && finding,
      error: isEvaluated ? null : finding,
    });
  }
  return findings;
}

function testCondition(
  { field, test }: CompiledCondition,
  facts: JsonObject,
  work: Work,
): boolean | string {
  const actual = readPath(facts, splitPath(field));
  return actual !== undefined && test(actual, work);
}
