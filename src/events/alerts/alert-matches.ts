// Builds the outbox rows for matches of alert rules: an event for each match, actions outside the quiet period.
import { scrubStrictly } from '@assay/scrub';
import {
  type AlertFacts,
  formatCondition,
  getAlertValue,
} from '../../domain/events/alert-condition.ts';
import { EVENT_TOPIC, type EventBody } from '../../domain/events/events.ts';
import { MAIL_TOPIC } from '../../domain/events/mail-row.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { OutboxRow } from '../../platform/outbox/outbox-writer.ts';
import type { AlertAction, AlertRuleDocument } from './alerts.model.ts';

/** The facts, time and decision of a match. */
export interface AlertMatch {
  facts: AlertFacts;
  at: Date;
  /** Null: it concerns the organisation, not a decision. */
  trace: { id: string; traceId: string; workspaceId: string; sequence?: number } | null;
  /** What was measured, beside the value. */
  more?: AlertDetails;
}

/** Members of an event about what was measured. */
export interface AlertDetails {
  /** The decisions, or executions, that a share is of. */
  decisions?: number;
  /** The agents that are silent, by id and name; the first of `agentCount`. */
  agents?: { agentId: string; agentName: string; lastActive: string }[];
  agentCount?: number;
}

export interface AlertOutcome {
  rows: OutboxRow[];
  lastTriggeredAt: Date;
  actedAt: Date | null;
}

export const ALERT_TOPIC = 'alert';

/** The payload of an action's row. */
export interface AlertPayload {
  ruleId: string;
  action: AlertAction;
  event: EventBody;
}

/** Quiet period after a rule has acted, in which it does not act again. */
export const QUIET_MS = 5 * 60_000;

/** `ruleName`: without personal data, for names of rules are texts of operators. */
export function createAlertEvent(
  rule: AlertRuleDocument,
  { facts, at, trace, more }: AlertMatch,
  ruleName = scrubStrictly(rule.name),
): EventBody {
  const data = {
    ruleId: rule._id.toHexString(),
    ruleName,
    traceId: trace?.traceId ?? null,
    traceIdMongo: trace?.id ?? null,
    condition: formatCondition(rule.condition),
    valueTriggeredAt: getAlertValue(rule.condition, facts),
    ...more,
  };
  return { event: 'alert.triggered', timestamp: at.toISOString(), data };
}

interface Options {
  /** When its actions ran last. */
  actedAt: Date | null;
  /** Whether any webhook subscribes to the event. */
  isSubscribed: boolean;
}

/** Expects the `matches` of one rule in order, at least one. */
export function buildOutcome(
  rule: AlertRuleDocument,
  matches: readonly AlertMatch[],
  { actedAt: before, isSubscribed }: Options,
): AlertOutcome {
  const rows: OutboxRow[] = [];
  let actedAt = before;
  let lastTriggeredAt = new Date(0);
  for (const match of matches) {
    const { at } = match;
    if (at > lastTriggeredAt) lastTriggeredAt = at;
    const event = createAlertEvent(rule, match);
    if (isSubscribed) rows.push(toEventRow(rule, match, event));
    if (actedAt && at.getTime() - actedAt.getTime() < QUIET_MS) continue;
    actedAt = at;
    const subject = match.trace?.traceId;
    rows.push(...rule.actions.map((action) => createActionRow(rule, { subject, action, event })));
  }
  return { rows, lastTriggeredAt, actedAt };
}

/** An event of the whole organisation goes to the workspace of its rule, if that has one. */
function toEventRow(rule: AlertRuleDocument, { trace }: AlertMatch, event: EventBody): OutboxRow {
  const organizationId = rule.organizationId.toHexString();
  const workspaceId = trace?.workspaceId ?? rule.workspaceId?.toHexString();
  return {
    organizationId,
    ...(trace && { subject: trace.traceId }),
    topic: EVENT_TOPIC,
    lane: organizationId,
    ...(workspaceId !== undefined && { workspaceId }),
    ...(trace?.sequence !== undefined && { sequence: trace.sequence }),
    payload: { ...event },
  };
}

/** The row of an action of a rule; `subject`: the decision that the event is about. */
export function createActionRow(
  rule: AlertRuleDocument,
  {
    subject,
    action,
    event,
  }: { subject?: string | undefined; action: AlertAction; event: EventBody },
): OutboxRow {
  const organizationId = rule.organizationId.toHexString();
  const payload = { ruleId: rule._id.toHexString(), action, event };
  const isMail = action.type === 'email';
  return {
    organizationId,
    ...(subject !== undefined && { subject }),
    topic: isMail ? MAIL_TOPIC : ALERT_TOPIC,
    lane: sha256Hex(`${organizationId} ${action.target}`),
    payload: isMail ? { kind: 'alert', ...payload } : payload,
  };
}
