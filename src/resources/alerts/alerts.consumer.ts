// Holds every decision against the alert rules of its organisation (document 2, section 4.4).
import { alertHolds } from '../../domain/events/alert-condition.ts';
import { createScrubber } from '../../domain/scrub/scrubber.ts';
import type { Consumer, TransactionalConsumer } from '../../ledger/follow/consumer.ts';
import type { Models } from '../../models.ts';
import type { OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import type { TraceDocument } from '../traces/traces.model.ts';
import type { SubscriptionService } from '../webhooks/subscriptions.service.ts';
import type { ActiveRuleService } from './active-rules.service.ts';
import { type AlertMatch, outcomeOf } from './alert-matches.ts';
import type { AlertRuleDocument, AlertRuleStateDocument } from './alerts.model.ts';

interface Deps {
  models: Models;
  outbox: OutboxWriter;
  activeRules: ActiveRuleService;
  subscriptions: SubscriptionService;
}

interface RuleMatches {
  rule: AlertRuleDocument;
  matches: AlertMatch[];
}

type Context = Parameters<TransactionalConsumer['run']>[1];

/** Each may match a hundred rules, and every match is written. */
const BATCH = 64;

/** What is erased takes its rows along. */
export function alertsConsumer(deps: Deps): Consumer<TraceDocument> {
  const { models, outbox, activeRules, subscriptions } = deps;
  const scrubber = createScrubber({ nationalIds: true, extended: true });
  const scrub = (text: string): string => scrubber.text(text).text;

  /** When each of the rules ran its actions last. */
  async function actedAtOf(found: readonly RuleMatches[], { session, organizationId }: Context) {
    const ids = found.map(({ rule }) => rule._id);
    const states = await models.alertRuleStates
      .find({ organizationId, _id: { $in: ids } })
      .session(session)
      .lean<AlertRuleStateDocument[]>();
    return new Map(states.map(({ _id, actedAt }) => [_id.toHexString(), actedAt]));
  }

  /** Writes what follows from matches, and when the rules matched and acted last. */
  async function follow(found: readonly RuleMatches[], context: Context): Promise<void> {
    const { session, organizationId } = context;
    const isTold = await subscriptions.isTaken(organizationId, 'alert.triggered');
    const acted = await actedAtOf(found, context);
    const outcomes = found.map(({ rule, matches }) => {
      const actedAt = acted.get(rule._id.toHexString()) ?? null;
      return { _id: rule._id, ...outcomeOf(rule, matches, { actedAt, isTold, scrub }) };
    });
    await outbox.write(
      outcomes.flatMap(({ rows }) => rows),
      session,
    );
    await models.alertRuleStates.bulkWrite(
      outcomes.map(({ _id, lastTriggeredAt, actedAt }) => ({
        updateOne: {
          filter: { _id, organizationId },
          update: { $max: { lastTriggeredAt }, $set: { actedAt } },
          upsert: true,
        },
      })),
      { session },
    );
  }

  return {
    name: 'alerts',
    from: 'head',
    batch: BATCH,
    kinds: ['trace', 'erasure'],
    projection: {
      _id: 1,
      traceId: 1,
      workspaceId: 1,
      verdict: 1,
      confidenceScore: 1,
      createdAt: 1,
      erasedAt: 1,
    },
    async run(entries, { session, organizationId }) {
      const erased = entries.filter(({ kind }) => kind === 'erasure').map((one) => one.traceId);
      if (erased.length > 0) await outbox.withdraw(organizationId, erased, session);
      const rules = await activeRules.onDecisions(organizationId);
      const isKept = ({ traceId, erasedAt }: TraceDocument): boolean =>
        !erasedAt && !erased.includes(traceId);
      const found = rules.length === 0 ? [] : matchesOf(rules, entries.filter(isKept));
      if (found.length > 0) await follow(found, { session, organizationId });
    },
  };
}

function matchesOf(
  rules: readonly AlertRuleDocument[],
  traces: readonly TraceDocument[],
): RuleMatches[] {
  const found = rules.map((rule) => ({
    rule,
    matches: traces.filter((trace) => isMatch(rule, trace)).map(matchOf),
  }));
  return found.filter(({ matches }) => matches.length > 0);
}

const factsOf = ({ verdict: status, confidenceScore }: TraceDocument) => ({
  status,
  confidenceScore,
});

function isMatch({ workspaceId, condition }: AlertRuleDocument, trace: TraceDocument): boolean {
  const concerns = workspaceId === null || workspaceId.toHexString() === trace.workspaceId;
  return concerns && alertHolds(condition, factsOf(trace));
}

function matchOf(trace: TraceDocument): AlertMatch {
  const { _id, traceId, workspaceId, createdAt: at } = trace;
  return { facts: factsOf(trace), at, trace: { id: _id.toHexString(), traceId, workspaceId } };
}
