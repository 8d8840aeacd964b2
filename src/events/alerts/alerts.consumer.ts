// Checks every decision against the alert rules of its organisation (document 2, section 4.4).
import type { PolicyVerdict } from '@assay/policy';
import { isFollowing } from '../../domain/events/events.ts';
import { isConditionMet } from '../../domain/events/alert-condition.ts';
import { isInScope } from '../../domain/identity/workspace-scope.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { dropErased, type Erasable } from '../../ledger/follow/without-erased.ts';
import { followUp, type RuleMatches } from './alert-follow-up.ts';
import type { AlertMatch } from './alert-matches.ts';
import type { AlertRuleDocument } from './alerts.model.ts';
import type { Platform } from '../../platform/platform.ts';
import { listDecisionRules } from './active-rules.service.ts';

interface Judged extends Erasable {
  workspaceId: string;
  verdict: PolicyVerdict['status'];
  confidenceScore: number;
  createdAt: Date;
}

/** Maximum number of matches in one run: each is written. */
const MATCHES_MAX = 6_400;

/** An erasure removes the rows of its decision. */
export function createAlertsConsumer(platform: Platform): Consumer<Judged> {
  return {
    name: 'alerts',
    from: 'head',
    batch: async (organizationId) =>
      Math.ceil(MATCHES_MAX / (await listDecisionRules(platform, organizationId)).length),
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
    async consume(entries, context) {
      const kept = await dropErased(entries, platform.outbox, context);
      const rules = await listDecisionRules(platform, context.organizationId);
      await followUp(platform, findMatches(rules, kept), context);
    },
  };
}

function findMatches(
  rules: readonly AlertRuleDocument[],
  traces: readonly Judged[],
): RuleMatches[] {
  const found = rules.map((rule) => ({
    rule,
    matches: traces.filter((trace) => isMatch(rule, trace)).map(toMatch),
  }));
  return found.filter(({ matches }) => matches.length > 0);
}

const toFacts = ({ verdict: status, confidenceScore }: Judged) => ({
  status,
  confidenceScore,
});

function isMatch(rule: AlertRuleDocument, trace: Judged): boolean {
  return (
    isFollowing(rule, trace.sequence) &&
    isInScope(rule, trace.workspaceId) &&
    isConditionMet(rule.condition, toFacts(trace))
  );
}

function toMatch(trace: Judged): AlertMatch {
  const { _id, traceId, workspaceId, sequence, createdAt: at } = trace;
  const about = { id: _id.toHexString(), traceId, workspaceId, sequence };
  return { facts: toFacts(trace), at, trace: about };
}
