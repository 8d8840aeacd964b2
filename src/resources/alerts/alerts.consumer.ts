// Checks every decision against the alert rules of its organisation (document 2, section 4.4).
import { isFollowing } from '../../domain/events/events.ts';
import { alertHolds } from '../../domain/events/alert-condition.ts';
import { concerns } from '../../domain/identity/workspace-scope.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { withoutErased } from '../../ledger/follow/without-erased.ts';
import type { TraceDocument } from '../traces/traces.model.ts';
import type { ActiveRuleService } from './active-rules.service.ts';
import { createFollowUp, type FollowUpDeps, type RuleMatches } from './alert-follow-up.ts';
import type { AlertMatch } from './alert-matches.ts';
import type { AlertRuleDocument } from './alerts.model.ts';

interface Deps extends FollowUpDeps {
  activeRules: ActiveRuleService;
}

/** Maximum number of matches in one run: each is written. */
const MATCHES_MAX = 6_400;

/** An erasure removes the rows of its decision. */
export function alertsConsumer(deps: Deps): Consumer<TraceDocument> {
  const { outbox, activeRules } = deps;
  const follow = createFollowUp(deps);
  return {
    name: 'alerts',
    from: 'head',
    batch: async (organizationId) =>
      Math.ceil(MATCHES_MAX / (await activeRules.onDecisions(organizationId)).length),
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
    async run(entries, context) {
      const kept = await withoutErased(entries, outbox, context);
      const rules = await activeRules.onDecisions(context.organizationId);
      const found = matchesOf(rules, kept);
      if (found.length > 0) await follow(found, context);
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

function isMatch(rule: AlertRuleDocument, trace: TraceDocument): boolean {
  return (
    isFollowing(rule, trace.sequence) &&
    concerns(rule, trace.workspaceId) &&
    alertHolds(rule.condition, factsOf(trace))
  );
}

function matchOf(trace: TraceDocument): AlertMatch {
  const { _id, traceId, workspaceId, sequence, createdAt: at } = trace;
  const about = { id: _id.toHexString(), traceId, workspaceId, sequence };
  return { facts: factsOf(trace), at, trace: about };
}
