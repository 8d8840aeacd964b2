// The active alert rules of an organisation, read through a cache, so that a decision that no rule waits for costs nothing.
import type { Platform } from '../../composition/platform.ts';
import { type Plan, plansWith } from '../../domain/identity/plans.ts';
import type { AlertRuleDocument } from './alerts.model.ts';

const CACHED_ORGANIZATIONS = 10_000;

export function createActiveRuleService({
  models,
  caches,
  onCommit,
}: Pick<Platform, 'models' | 'caches' | 'onCommit'>) {
  const active = caches.open<AlertRuleDocument[]>({
    collections: ['alert_rules', 'organizations'],
    max: CACHED_ORGANIZATIONS,
  });

  /** A plan that ended takes its rules along. */
  async function load(organizationId: string): Promise<AlertRuleDocument[]> {
    const organization = await models.organizations
      .findById(organizationId, 'subscription')
      .lean<{ subscription: { plan: Plan } }>();
    const plan = organization?.subscription.plan;
    if (!plan || !plansWith('chatAlerts').includes(plan)) return [];
    return models.alertRules.find({ organizationId, isActive: true }).lean<AlertRuleDocument[]>();
  }

  async function activeOf(organizationId: string): Promise<AlertRuleDocument[]> {
    const found = await active.get(organizationId, async () => ({
      organizationId,
      value: await load(organizationId),
    }));
    return found ?? [];
  }

  return {
    /** Rules that a decision can match. */
    async onDecisions(organizationId: string): Promise<AlertRuleDocument[]> {
      const rules = await activeOf(organizationId);
      return rules.filter(({ condition }) => condition.field !== 'cpiScore');
    },

    /** Rules on the index of the organisation. */
    async onIndex(organizationId: string): Promise<AlertRuleDocument[]> {
      const rules = await activeOf(organizationId);
      return rules.filter(({ condition }) => condition.field === 'cpiScore');
    },

    /** Call it with every change of a rule; it holds from the commit on. */
    changed(organizationId: string): void {
      onCommit(() => active.invalidate(organizationId));
    },
  };
}
export type ActiveRuleService = ReturnType<typeof createActiveRuleService>;
