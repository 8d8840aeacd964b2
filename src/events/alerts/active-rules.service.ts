// Caches the active alert rules of an organisation.
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import type { AlertAction, AlertRuleDocument } from './alerts.model.ts';

export function createActiveRuleService({
  models,
  activeSettings,
}: Pick<Platform, 'models' | 'activeSettings'>) {
  const active = activeSettings<AlertRuleDocument>({
    collection: 'alert_rules',
    feature: 'chatAlerts',
    load: (organizationId) =>
      models.alertRules.find({ organizationId, isActive: true }).lean<AlertRuleDocument[]>(),
  });

  return {
    /** Returns the rules that a decision can match. */
    async listDecisionRules(organizationId: string): Promise<AlertRuleDocument[]> {
      const rules = await active.loadSettings(organizationId);
      return rules.filter(({ condition }) => condition.field !== 'cpiScore');
    },

    /** Returns the rules on the index of the organisation. */
    async listIndexRules(organizationId: string): Promise<AlertRuleDocument[]> {
      const rules = await active.loadSettings(organizationId);
      return rules.filter(({ condition }) => condition.field === 'cpiScore');
    },

    /** Null: the rule is paused or gone, or has no action for the target any more. */
    findActing(
      organizationId: Types.ObjectId,
      _id: string,
      { target }: AlertAction,
    ): Promise<AlertRuleDocument | null> {
      const where = { organizationId, _id, isActive: true, 'actions.target': target };
      return models.alertRules.findOne(where).lean<AlertRuleDocument>();
    },

    /** Call it with every change of a rule. */
    invalidate: active.invalidate,
  };
}
export type ActiveRuleService = ReturnType<typeof createActiveRuleService>;
