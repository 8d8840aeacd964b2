// Follows up on matches of alert rules: writes the rows of actions and events, and the state of each rule.
import type { mongo } from 'mongoose';
import type { Models } from '../../models.ts';
import type { OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import type { SubscriptionService } from '../webhooks/subscriptions.service.ts';
import { type AlertMatch, buildOutcome } from './alert-matches.ts';
import type { AlertRuleDocument, AlertRuleStateDocument } from './alerts.model.ts';

export interface FollowUpDeps {
  models: Models;
  outbox: OutboxWriter;
  subscriptions: SubscriptionService;
}

export interface RuleMatches {
  rule: AlertRuleDocument;
  matches: AlertMatch[];
}

interface Context {
  organizationId: string;
  session?: mongo.ClientSession;
}

/** Writes rows and states in the session's transaction; without a session, in that of the request. */
type FollowUp = (found: readonly RuleMatches[], context: Context) => Promise<void>;

export function createFollowUp({ models, outbox, subscriptions }: FollowUpDeps): FollowUp {
  /** Returns when each rule ran its actions last, by id. */
  async function loadLastActions(
    found: readonly RuleMatches[],
    { organizationId, session }: Context,
  ) {
    const ids = found.map(({ rule }) => rule._id);
    const states = await models.alertRuleStates
      .find({ organizationId, _id: { $in: ids } }, null, session ? { session } : {})
      .lean<AlertRuleStateDocument[]>();
    return new Map(states.map(({ _id, actedAt }) => [_id.toHexString(), actedAt]));
  }

  return async function follow(found, context) {
    if (found.length === 0) return;
    const { session, organizationId } = context;
    const isSubscribed = await subscriptions.isSubscribed(organizationId, 'alert.triggered');
    const acted = await loadLastActions(found, context);
    const outcomes = found.map(({ rule, matches }) => {
      const actedAt = acted.get(rule._id.toHexString()) ?? null;
      return {
        _id: rule._id,
        ...buildOutcome(rule, matches, { actedAt, isSubscribed }),
      };
    });
    const rows = outcomes.flatMap((outcome) => outcome.rows);
    if (rows.length > 0) await (session ? outbox.write(rows, session) : outbox.queue(...rows));
    await models.alertRuleStates.bulkWrite(
      outcomes.map(({ _id, lastTriggeredAt, actedAt }) => ({
        updateOne: {
          filter: { _id, organizationId },
          update: { $max: { lastTriggeredAt }, $set: { actedAt } },
          upsert: true,
        },
      })),
      session ? { session } : {},
    );
  };
}
