// Checks the index of an organisation against its alert rules, on request (document 2, section 4.4).
import type { Platform } from '../../platform/platform.ts';
import { isConditionMet } from '../../domain/events/alert-condition.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { SubscriptionService } from '../webhooks/subscriptions.service.ts';
import type { ActiveRuleService } from './active-rules.service.ts';
import { createFollowUp } from './alert-follow-up.ts';
import type { AlertMatch } from './alert-matches.ts';
import type { CpiCheck } from './alerts.schemas.ts';

/** Returns the index of an organisation, 0 to 100; null: below the minimum sample. */
export type CpiIndexOf = (organizationId: string) => Promise<number | null>;

interface Deps {
  activeRules: ActiveRuleService;
  subscriptions: SubscriptionService;
  cpiIndexOf: CpiIndexOf;
}

export function createCpiAlerts(
  platform: Pick<Platform, 'models' | 'clock' | 'outbox'>,
  deps: Deps,
) {
  const { models, clock, outbox } = platform;
  const { activeRules, subscriptions, cpiIndexOf } = deps;
  const follow = createFollowUp({ models, outbox, subscriptions });

  return {
    /** Run it in a transaction. */
    async check({ organizationId }: Tenant): Promise<CpiCheck> {
      const rules = await activeRules.listIndexRules(organizationId);
      const cpiScore = await cpiIndexOf(organizationId);
      if (cpiScore === null) return { cpiScore, evaluated: rules.length, triggered: [] };
      const match: AlertMatch = { facts: { cpiScore }, at: clock.now(), trace: null };
      const matching = rules.filter(({ condition }) => isConditionMet(condition, match.facts));
      const found = matching.map((rule) => ({ rule, matches: [match] }));
      await follow(found, { organizationId });
      const triggered = matching.map(({ _id, name }) => ({ ruleId: _id, ruleName: name }));
      return { cpiScore, evaluated: rules.length, triggered };
    },
  };
}
export type CpiAlerts = ReturnType<typeof createCpiAlerts>;
