// Maps the groups of an identity provider to a role, by an organisation's rules.
import { compilePattern, PatternTooExpensive, Work, workLimits } from '@assay/patterns';
import type { Role } from './roles.ts';

/** `pattern` (RE2 syntax) matches anywhere in the name of a group. */
export interface RoleRule {
  pattern: string;
  role: Role;
}

export interface RoleDecision {
  role: Role;
  /** The rule and group that decided; null when no rule matches and the role is the default. */
  matched: { pattern: string; group: string } | null;
  /** The rules exceed the work limit of one decision, so their result is unknown. */
  isUndecided?: true;
}

/** The role when no rule matches (document 1, section 4.5). */
export const DEFAULT_ROLE: Role = 'member';

/**
 * Decides by the first rule, in the organisation's order, that matches any group. An invalid pattern matches no group.
 * Rules that exceed the work limit decide nothing.
 */
export function decideRole(groups: readonly string[], rules: readonly RoleRule[]): RoleDecision {
  const byDefault = { role: DEFAULT_ROLE, matched: null };
  try {
    return findFirstMatch(groups, rules) ?? byDefault;
  } catch (error) {
    if (error instanceof PatternTooExpensive) return { ...byDefault, isUndecided: true };
    throw error;
  }
}

/** Keycloak names a group by its path, `/admins`, by default: a rule may be written for either form. */
const listGroupNames = (group: string): string[] =>
  group.startsWith('/') ? [group, group.slice(1)] : [group];

function findFirstMatch(
  groups: readonly string[],
  rules: readonly RoleRule[],
): RoleDecision | null {
  const work = new Work(workLimits.conditions);
  for (const { pattern, role } of rules) {
    const result = compilePattern(pattern);
    if ('problem' in result) continue;
    const group = groups.find((name) => result.pattern.hasMatch(listGroupNames(name), work));
    if (group !== undefined) return { role, matched: { pattern, group } };
  }
  return null;
}
