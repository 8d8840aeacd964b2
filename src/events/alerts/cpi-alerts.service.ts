// Checks the index of an organisation against its alert rules, on request (document 2, section 4.4).
import { isConditionMet } from '../../domain/events/alert-condition.ts';
import { followUp } from './alert-follow-up.ts';
import type { AlertMatch } from './alert-matches.ts';
import type { CpiCheck } from './alerts.schemas.ts';
import type { Context } from '../../platform/context.ts';
import { listIndexRules } from './active-rules.service.ts';
import { getDecisionReader } from '../upper-rooms.ts';

/** Run it in a transaction. */
export async function checkIndex({
  platform,
  tenant: { organizationId },
}: Context): Promise<CpiCheck> {
  const rules = await listIndexRules(platform, organizationId);
  const cpiScore = await getDecisionReader(platform).loadCpiScore(organizationId);
  if (cpiScore === null) return { cpiScore, evaluated: rules.length, triggered: [] };
  const match: AlertMatch = { facts: { cpiScore }, at: platform.clock.now(), trace: null };
  const matching = rules.filter(({ condition }) => isConditionMet(condition, match.facts));
  const found = matching.map((rule) => ({ rule, matches: [match] }));
  await followUp(platform, found, { organizationId });
  const triggered = matching.map(({ _id, name }) => ({ ruleId: _id, ruleName: name }));
  return { cpiScore, evaluated: rules.length, triggered };
}
