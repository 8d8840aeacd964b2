// Follows up on matches of alert rules: writes the rows of actions and events, and the state of each rule.
import type { mongo } from 'mongoose';
import type { RuleStanding } from '../../domain/events/alert-measures.ts';
import type { Models } from '../../models.ts';
import { type AlertMatch, type AlertOutcome, buildOutcome } from './alert-matches.ts';
import type { AlertRuleDocument, AlertRuleStateDocument } from './alerts.model.ts';
import type { Platform } from '../../platform/platform.ts';
import { isSubscribed } from '../webhooks/subscriptions.service.ts';

export interface RuleMatches {
  rule: AlertRuleDocument;
  matches: AlertMatch[];
  /** What a measured rule is about from now on. */
  standing?: RuleStanding;
}

interface Scope {
  organizationId: string;
  session?: mongo.ClientSession;
}

/** Writes rows and states in the session's transaction; without a session, in that of the request. */
export async function followUp(
  platform: Platform,
  found: readonly RuleMatches[],
  scope: Scope,
): Promise<void> {
  if (found.length === 0) return;
  const { models, outbox } = platform;
  const { session, organizationId } = scope;
  const isHeard = await isSubscribed(platform, organizationId, 'alert.triggered');
  const acted = await loadLastActions(models, found, scope);
  const outcomes = found.map(({ rule, matches, standing }) => {
    const actedAt = acted.get(rule._id.toHexString()) ?? null;
    const outcome = buildOutcome(rule, matches, { actedAt, isSubscribed: isHeard });
    return { _id: rule._id, standing, ...outcome };
  });
  const rows = outcomes.flatMap((outcome) => outcome.rows);
  if (rows.length > 0) await (session ? outbox.write(rows, session) : outbox.queue(...rows));
  const updates = outcomes.map((outcome) => toStateUpdate(organizationId, outcome));
  await models.alertRuleStates.bulkWrite(updates, session ? { session } : {});
}

function toStateUpdate(
  organizationId: string,
  {
    _id,
    lastTriggeredAt,
    actedAt,
    standing,
  }: Pick<AlertRuleStateDocument, '_id'> &
    Omit<AlertOutcome, 'rows'> & { standing: RuleStanding | undefined },
) {
  const update = { $max: { lastTriggeredAt }, $set: { actedAt, ...(standing && { standing }) } };
  return { updateOne: { filter: { _id, organizationId }, update, upsert: true } };
}

/** Returns when each rule ran its actions last, by id. */
async function loadLastActions(
  models: Models,
  found: readonly RuleMatches[],
  { organizationId, session }: Scope,
) {
  const ids = found.map(({ rule }) => rule._id);
  const states = await models.alertRuleStates
    .find({ organizationId, _id: { $in: ids } }, null, session ? { session } : {})
    .lean<AlertRuleStateDocument[]>();
  return new Map(states.map(({ _id, actedAt }) => [_id.toHexString(), actedAt]));
}
