// Short ways to write policies in tests.
import type { JsonObject } from '@assay/json';
import {
  compilePolicies,
  type ActionType,
  type Condition,
  type PolicyDefinition,
  type PolicyVerdict,
} from '@assay/policy';

/** A policy that blocks every decision, unless the parts say otherwise. */
export function policy(parts: Partial<PolicyDefinition> & { id: string }): PolicyDefinition {
  return {
    revision: 1,
    name: `Policy ${parts.id}`,
    description: '',
    priority: 1,
    conditions: [],
    actions: [{ type: 'block' }],
    ...parts,
  };
}

/** A policy with these action types that matches every decision. */
export function always(id: string, priority: number, ...types: ActionType[]): PolicyDefinition {
  return policy({ id, priority, actions: types.map((type) => ({ type })) });
}

/** The verdict of one blocking policy with these conditions. */
export function judge(conditions: Condition[], facts: JsonObject): PolicyVerdict {
  return compilePolicies([policy({ id: 'p', conditions })]).evaluate(facts);
}

/** Whether the condition holds for the facts. */
export function holds(condition: Condition, facts: JsonObject): boolean {
  return judge([condition], facts).action === 'block';
}
