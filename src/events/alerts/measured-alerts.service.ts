// The timed job that measures what alert rules on shares and ages are about (decisions/events.md).
import type { Types } from 'mongoose';
import { formatCondition, isConditionMet } from '../../domain/events/alert-condition.ts';
import {
  ALERT_AGES,
  ALERT_SHARES,
  judgeStanding,
  type RuleStanding,
} from '../../domain/events/alert-measures.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';
import { listMeasuredRules, type MeasuredRule } from './active-rules.service.ts';
import { followUp } from './alert-follow-up.ts';
import { type AlertMatch, QUIET_MS } from './alert-matches.ts';
import type { AlertRuleStateDocument } from './alerts.model.ts';
import { type MeasuredFact, Measures } from './measured-facts.service.ts';

/** Organisations of one run; the next run goes on behind them. */
const ORGANIZATIONS_MAX = 1_000;
/** Organisations that are measured at a time. */
const AT_ONCE = 4;
const FIELDS = [...ALERT_SHARES, ...ALERT_AGES];

/** The organisation that the last run ended with; null: with the last of all. */
const openPlaces = perInstance((): { after: Types.ObjectId | null } => ({ after: null }));

/** One organisation that fails does not hold up the others. */
export async function measureAlerts(platform: Platform): Promise<number> {
  const place = openPlaces(platform);
  const found = await listOrganizations(platform, place.after);
  place.after = found.length < ORGANIZATIONS_MAX ? null : (found.at(-1) ?? null);
  const left = found.map((organizationId) => organizationId.toHexString());
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      await measureOrganization(platform, next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found.length;
}

async function listOrganizations({ models }: Platform, after: Types.ObjectId | null) {
  const behind = after && { organizationId: { $gt: after } };
  const found = await models.alertRules
    .aggregate<{ _id: Types.ObjectId }>([
      { $match: { isActive: true, 'condition.field': { $in: FIELDS }, ...behind } },
      { $group: { _id: '$organizationId' } },
      { $sort: { _id: 1 } },
      { $limit: ORGANIZATIONS_MAX },
    ])
    .option({ crossTenant: true });
  return found.map(({ _id }) => _id);
}

async function measureOrganization(platform: Platform, organizationId: string): Promise<void> {
  const measures = new Measures(platform, organizationId);
  for (const rule of await listMeasuredRules(platform, organizationId))
    try {
      const facts = await measures.measure(rule);
      await platform.transaction(() => judgeRule(platform, rule, facts));
    } catch (error) {
      const about = { err: error, organizationId, rule: rule._id };
      platform.logger.error(about, 'an alert rule cannot be measured');
    }
}

/** Writes what the rule is about now, and an alert where that has begun. */
async function judgeRule(
  platform: Platform,
  rule: MeasuredRule,
  facts: readonly MeasuredFact[],
): Promise<void> {
  const where = { _id: rule._id, organizationId: rule.organizationId.toHexString() };
  const { alertRuleStates } = platform.models;
  const state = await alertRuleStates.findOne(where).lean<AlertRuleStateDocument>();
  const at = platform.clock.now();
  const { begun, standing } = findBegun(rule, facts, { state, at });
  const found = { rule, matches: [toMatch(rule, begun, at)], standing };
  if (begun.length > 0) await followUp(platform, [found], where);
  else if (!isSame(state?.standing, standing))
    await alertRuleStates.updateOne(where, { $set: { standing } }, { upsert: true });
}

/** The facts that begin to meet the condition, and all that meet it from now on. */
function findBegun(
  rule: MeasuredRule,
  facts: readonly MeasuredFact[],
  { state, at }: { state: AlertRuleStateDocument | null; at: Date },
): { begun: MeasuredFact[]; standing: RuleStanding } {
  const met = facts.filter(({ value }) => isConditionMet(rule.condition, toFacts(rule, value)));
  const { fresh, standing } = judgeStanding(state?.standing ?? null, {
    basis: toBasis(rule),
    met: met.map(({ subject }) => subject),
    isQuiet: isQuiet(state, at),
  });
  return { begun: met.filter(({ subject }) => fresh.includes(subject)), standing };
}

/** A changed condition, and a rule that was switched on again, begin once more. */
const toBasis = ({ condition, since }: MeasuredRule): string =>
  `${formatCondition(condition)} ${since ?? ''}`;

const toFacts = ({ condition: { field } }: MeasuredRule, value: number) => ({ [field]: value });

/** One match of all that has begun, with the value of the first. */
function toMatch(rule: MeasuredRule, begun: readonly MeasuredFact[], at: Date): AlertMatch {
  const [first] = begun;
  const more = first?.describe(begun) ?? {};
  return { facts: toFacts(rule, first?.value ?? 0), at, trace: null, more };
}

const isQuiet = (state: AlertRuleStateDocument | null, at: Date): boolean =>
  state?.actedAt != null && at.getTime() - state.actedAt.getTime() < QUIET_MS;

const isSame = (one: RuleStanding | undefined, other: RuleStanding): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
