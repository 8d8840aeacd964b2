// Limits on the total cost of a workspace's enabled policies: all are evaluated on every decision, on a thread that tenants share.
import { compilePattern } from '@assay/patterns';
import type { Action, Condition } from '@assay/policy';

/**
 * `characters`: JSON of all conditions and actions, which every change and every start reads. `instructions` is the sum
 * over the distinct regex conditions, each counted once however many policies have it.
 */
export const workspaceLimits = {
  policies: 1_000,
  characters: 4_000_000,
  instructions: 10_000,
} as const;

/** The parts of a policy that count. */
interface CountedPolicy {
  conditions: readonly Condition[];
  actions: readonly Action[];
}

/** The limit that these policies exceed when all are enabled in one workspace; null when they do not. */
export function findWorkspaceLimitViolation(policies: readonly CountedPolicy[]): string | null {
  if (policies.length > workspaceLimits.policies) {
    return `A workspace may have at most ${workspaceLimits.policies} enabled policies`;
  }
  const characters = policies.reduce((sum, policy) => sum + countCharacters(policy), 0);
  if (characters > workspaceLimits.characters)
    return `The conditions and actions of a workspace's enabled policies may have at most ${workspaceLimits.characters} characters as JSON in total; these have ${characters}`;
  const instructions = countInstructions(policies.flatMap(({ conditions }) => conditions));
  return instructions > workspaceLimits.instructions
    ? `The regular expressions of a workspace's enabled policies may have at most ${workspaceLimits.instructions} instructions in total; these have ${instructions}`
    : null;
}

const countCharacters = ({ conditions, actions }: CountedPolicy): number =>
  JSON.stringify([conditions, actions]).length;

function countInstructions(conditions: readonly Condition[]): number {
  const patterns = new Map<string, number>();
  for (const { field, operator, value } of conditions) {
    if (operator !== 'regex') continue;
    const result = compilePattern(String(value));
    patterns.set(
      `${field} ${String(value)}`,
      'pattern' in result ? result.pattern.instructions : 0,
    );
  }
  return [...patterns.values()].reduce((sum, count) => sum + count, 0);
}
