// Builds the outbox rows for matches of alert rules: an event for each match, actions outside the quiet period.
import {
  type AlertCondition,
  type AlertFacts,
  formatCondition,
  getAlertValue,
} from '../../domain/events/alert-condition.ts';
import { EVENT_TOPIC, type EventBody } from '../../domain/events/events.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { OutboxRow } from '../../platform/outbox/outbox-writer.ts';
import type { AlertAction, AlertRuleDocument } from './alerts.model.ts';

/** The facts, time and decision of a match. */
export interface AlertMatch {
  facts: AlertFacts;
  at: Date;
  /** Null: it concerns the organisation, not a decision. */
  trace: { id: string; traceId: string; workspaceId: string; sequence?: number } | null;
}

export interface AlertOutcome {
  rows: OutboxRow[];
  lastTriggeredAt: Date;
  actedAt: Date | null;
}

export const ALERT_TOPIC = 'alert';
/** Quiet period after a rule has acted, in which it does not act again. */
export const QUIET_MS = 5 * 60_000;

/** Removes personal data from names of rules, which are texts of operators. */
type Scrub = (text: string) => string;
type NamedRule = Pick<AlertRuleDocument, 'name'> & {
  _id: { toHexString(): string };
  condition: AlertCondition;
};

export function createAlertEvent(
  rule: NamedRule,
  { facts, at, trace }: AlertMatch,
  scrub: Scrub,
): EventBody {
  const data = {
    ruleId: rule._id.toHexString(),
    ruleName: scrub(rule.name),
    traceId: trace?.traceId ?? null,
    traceIdMongo: trace?.id ?? null,
    condition: formatCondition(rule.condition),
    valueTriggeredAt: getAlertValue(facts),
  };
  return { event: 'alert.triggered', timestamp: at.toISOString(), data };
}

interface Options {
  /** When its actions ran last. */
  actedAt: Date | null;
  /** Whether any webhook subscribes to the event. */
  isSubscribed: boolean;
  scrub: Scrub;
}

/** Expects the `matches` of one rule in order, at least one. */
export function buildOutcome(
  rule: AlertRuleDocument,
  matches: readonly AlertMatch[],
  { actedAt: before, isSubscribed, scrub }: Options,
): AlertOutcome {
  const rows: OutboxRow[] = [];
  let actedAt = before;
  let lastTriggeredAt = new Date(0);
  for (const match of matches) {
    const { at } = match;
    if (at > lastTriggeredAt) lastTriggeredAt = at;
    const event = createAlertEvent(rule, match, scrub);
    if (isSubscribed) rows.push(toEventRow(rule, match, event));
    if (actedAt && at.getTime() - actedAt.getTime() < QUIET_MS) continue;
    actedAt = at;
    rows.push(...rule.actions.map((action) => toActionRow(rule, { match, action, event })));
  }
  return { rows, lastTriggeredAt, actedAt };
}

function toSharedFields(rule: AlertRuleDocument, { trace }: AlertMatch) {
  const organizationId = rule.organizationId.toHexString();
  return { organizationId, ...(trace && { subject: trace.traceId }) };
}

/** An event of the whole organisation goes to the workspace of its rule, if that has one. */
function toEventRow(rule: AlertRuleDocument, match: AlertMatch, event: EventBody): OutboxRow {
  const workspaceId = match.trace?.workspaceId ?? rule.workspaceId?.toHexString();
  const sequence = match.trace?.sequence;
  const shared = toSharedFields(rule, match);
  return {
    ...shared,
    topic: EVENT_TOPIC,
    lane: shared.organizationId,
    ...(workspaceId !== undefined && { workspaceId }),
    ...(sequence !== undefined && { sequence }),
    payload: { ...event },
  };
}

function toActionRow(
  rule: AlertRuleDocument,
  { match, action, event }: { match: AlertMatch; action: AlertAction; event: EventBody },
): OutboxRow {
  const shared = toSharedFields(rule, match);
  const payload = { ruleId: rule._id.toHexString(), action, event };
  const lane = sha256Hex(`${shared.organizationId} ${action.target}`);
  if (action.type === 'email')
    return { ...shared, topic: 'mail', lane, payload: { kind: 'alert', ...payload } };
  return { ...shared, topic: ALERT_TOPIC, lane, payload };
}
