// Limits on the total cost of a workspace's enabled policies: all are evaluated on every decision, on a thread that tenants share.
import type { Condition } from './definition.ts';
import { compilePattern } from '../patterns/regex.ts';

/** `instructions` is the sum over the distinct regex conditions, each counted once however many policies have it. */
export const workspaceLimits = { policies: 1_000, instructions: 10_000 } as const;

/** The limit that these policies exceed when all are enabled in one workspace; null when they do not. */
export function findWorkspaceLimitViolation(
  policies: readonly { conditions: readonly Condition[] }[],
): string | null {
  if (policies.length > workspaceLimits.policies) {
    return `A workspace may have at most ${workspaceLimits.policies} enabled policies`;
  }
  const instructions = countInstructions(policies.flatMap(({ conditions }) => conditions));
  return instructions > workspaceLimits.instructions
    ? `The regular expressions of a workspace's enabled policies may have at most ${workspaceLimits.instructions} instructions in total; these have ${instructions}`
    : null;
}

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
