// Caches the active alert rules of an organisation.
import type { Types } from 'mongoose';
import type { MeasuredCondition } from '../../domain/events/alert-condition.ts';
import { isMeasured } from '../../domain/events/alert-measures.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AlertAction, AlertRuleDocument } from './alerts.model.ts';

const openActiveRules = perInstance(({ models, activeSettings }) =>
  activeSettings<AlertRuleDocument>({
    collection: 'alert_rules',
    feature: 'chatAlerts',
    load: (organizationId) =>
      models.alertRules.find({ organizationId, isActive: true }).lean<AlertRuleDocument[]>(),
  }),
);

/** Returns the rules that a decision can match. */
export async function listDecisionRules(
  platform: Platform,
  organizationId: string,
): Promise<AlertRuleDocument[]> {
  const rules = await openActiveRules(platform).loadSettings(organizationId);
  return rules.filter(({ condition }) => condition.field !== 'cpiScore' && !isMeasured(condition));
}

export type MeasuredRule = AlertRuleDocument & { condition: MeasuredCondition };

/** Returns the rules on shares and ages. */
export async function listMeasuredRules(
  platform: Platform,
  organizationId: string,
): Promise<MeasuredRule[]> {
  const rules = await openActiveRules(platform).loadSettings(organizationId);
  return rules.filter((rule): rule is MeasuredRule => isMeasured(rule.condition));
}

/** Counts the rules that are followed. */
export async function countActiveRules(
  platform: Platform,
  organizationId: string,
): Promise<number> {
  return (await openActiveRules(platform).loadSettings(organizationId)).length;
}

/** Returns the rules on the index of the organisation. */
export async function listIndexRules(
  platform: Platform,
  organizationId: string,
): Promise<AlertRuleDocument[]> {
  const rules = await openActiveRules(platform).loadSettings(organizationId);
  return rules.filter(({ condition }) => condition.field === 'cpiScore');
}

/** Null: the rule is paused or gone, or has no action for the target any more. */
export function findActing(
  { models }: Platform,
  organizationId: Types.ObjectId,
  { ruleId: _id, action: { target } }: { ruleId: string; action: AlertAction },
): Promise<AlertRuleDocument | null> {
  const where = { organizationId, _id, isActive: true, 'actions.target': target };
  return models.alertRules.findOne(where).lean<AlertRuleDocument>();
}

/** Call it with every change of a rule. */
export function invalidateRules(platform: Platform, organizationId: string): void {
  openActiveRules(platform).invalidate(organizationId);
}
