// Checks the index of an organisation against its alert rules, on request (document 2, section 4.4).
import { scrubStrictly } from '@assay/scrub';
import type { Platform } from '../../platform/platform.ts';
import { isConditionMet } from '../../domain/events/alert-condition.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { SubscriptionService } from '../webhooks/subscriptions.service.ts';
import type { ActiveRuleService } from './active-rules.service.ts';
import { type AlertMatch, buildOutcome } from './alert-matches.ts';
import type { AlertRuleDocument, AlertRuleStateDocument } from './alerts.model.ts';
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

  async function raiseAlert(
    rule: AlertRuleDocument,
    match: AlertMatch,
    isSubscribed: boolean,
  ): Promise<void> {
    const { _id, organizationId } = rule;
    const where = { _id, organizationId };
    const state = await models.alertRuleStates.findOne(where).lean<AlertRuleStateDocument>();
    const options = { actedAt: state?.actedAt ?? null, isSubscribed, scrub: scrubStrictly };
    const { rows, lastTriggeredAt, actedAt } = buildOutcome(rule, [match], options);
    if (rows.length > 0) await outbox.queue(...rows);
    const change = { $max: { lastTriggeredAt }, $set: { actedAt } };
    await models.alertRuleStates.updateOne(where, change, { upsert: true });
  }

  return {
    /** Run it in a transaction. */
    async check({ organizationId }: Tenant): Promise<CpiCheck> {
      const rules = await activeRules.listIndexRules(organizationId);
      const cpiScore = await cpiIndexOf(organizationId);
      if (cpiScore === null) return { cpiScore, evaluated: rules.length, triggered: [] };
      const match: AlertMatch = { facts: { cpiScore }, at: clock.now(), trace: null };
      const matching = rules.filter(({ condition }) => isConditionMet(condition, match.facts));
      const isSubscribed = await subscriptions.isSubscribed(organizationId, 'alert.triggered');
      for (const rule of matching) await raiseAlert(rule, match, isSubscribed);
      const triggered = matching.map(({ _id, name }) => ({ ruleId: _id, ruleName: name }));
      return { cpiScore, evaluated: rules.length, triggered };
    },
  };
}
export type CpiAlerts = ReturnType<typeof createCpiAlerts>;
