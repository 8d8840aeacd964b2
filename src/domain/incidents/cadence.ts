// The deadlines of regulators after an incident: dated, versioned rules, one file for each (document 3, section 2).
import { aiactRules } from './rules/aiact.ts';
import { craRules } from './rules/cra.ts';
import { doraRules } from './rules/dora.ts';
import { gdprRules } from './rules/gdpr.ts';
import { nis2Rules } from './rules/nis2.ts';
import type { CadenceRule, Regulator } from './rules/rule.ts';

/** Oldest first. A version is never changed or removed: incidents keep the version they began with. */
export const RULES: Readonly<Record<Regulator, readonly CadenceRule[]>> = {
  gdpr: gdprRules,
  aiact: aiactRules,
  dora: doraRules,
  nis2: nis2Rules,
  cra: craRules,
};

const byVersion = new Map(
  Object.values(RULES)
    .flat()
    .map((rule) => [rule.version, rule]),
);

/** The rule in force at that time; the first rule for earlier times. */
export function findRuleInForce(regulator: Regulator, at: Date): CadenceRule {
  const rules = RULES[regulator];
  const day = at.toISOString().slice(0, 10);
  const found = rules.findLast(({ inForceFrom }) => inForceFrom <= day) ?? rules[0];
  if (!found) throw new Error(`no rule for ${regulator}`);
  return found;
}

/** @throws Error for a version that was never published */
export function getCadenceRule(version: string): CadenceRule {
  const rule = byVersion.get(version);
  if (!rule) throw new Error(`no rule ${version}`);
  return rule;
}
