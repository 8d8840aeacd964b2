// Which role an organisation's rules give to somebody, from the groups that an identity provider says they are in.
import { compilePattern } from '../policies/regex.ts';
import type { Role } from './roles.ts';

/** `pattern` (RE2 syntax) is looked for anywhere in the name of a group. */
export interface RoleRule {
  pattern: string;
  role: Role;
}

export interface RoleDecision {
  role: Role;
  /** What decided it; null when no rule fits and the role is the default. */
  matched: { pattern: string; group: string } | null;
}

/** The role of somebody whom no rule names (document 1, section 4.5). */
export const DEFAULT_ROLE: Role = 'member';

/** The first rule, in the organisation's order, that fits any of the groups. A pattern that is refused fits none. */
export function roleFor(groups: readonly string[], rules: readonly RoleRule[]): RoleDecision {
  for (const { pattern, role } of rules) {
    const result = compilePattern(pattern);
    if ('problem' in result) continue;
    const group = groups.find((name) => result.pattern.occursIn([name]));
    if (group !== undefined) return { role, matched: { pattern, group } };
  }
  return { role: DEFAULT_ROLE, matched: null };
}
