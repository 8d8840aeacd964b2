// Checks every decision, and what approvals by people reserve, against the alert rules of its organisation (document 2, section 4.4).
import type { PolicyVerdict } from '@assay/policy';
import { isFollowing } from '../../domain/events/events.ts';
import { computeShare, sumSlots } from '../../domain/budgets/spending.ts';
import { readCommittedState } from '../../domain/record/committed-state.ts';
import { type AlertFacts, isConditionMet } from '../../domain/events/alert-condition.ts';
import { isInScope } from '../../domain/identity/workspace-scope.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { dropErased, type Erasable } from '../../ledger/follow/without-erased.ts';
import { followUp, type RuleMatches } from './alert-follow-up.ts';
import type { AlertMatch } from './alert-matches.ts';
import type { AlertRuleDocument } from './alerts.model.ts';
import type { Platform } from '../../platform/platform.ts';
import { type DecisionPlace, getDecisionReader } from '../upper-rooms.ts';
import { listDecisionRules } from './active-rules.service.ts';

interface Judged extends Erasable {
  sealed?: unknown;
  createdAt: Date;
  workspaceId: string;
  verdict: PolicyVerdict['status'];
  confidenceScore: number;
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
    kinds: ['trace', 'review', 'erasure'],
    projection: {
      _id: 1,
      traceId: 1,
      workspaceId: 1,
      verdict: 1,
      confidenceScore: 1,
      createdAt: 1,
      erasedAt: 1,
      spent: 1,
      'sealed.state': 1,
    },
    async consume(entries, context) {
      const { organizationId } = context;
      const kept = await dropErased(entries, platform.outbox, context);
      const rules = await listDecisionRules(platform, organizationId);
      const facts = kept.flatMap((entry) => readMatch(entry) ?? []);
      const asked = await placeMatches(platform, organizationId, { rules, found: facts });
      await followUp(platform, findMatches(rules, asked), context);
    },
  };
}

/** A match as its entry alone says it. */
interface Found {
  facts: AlertFacts;
  at: Date;
  sequence: number;
  traceId: string;
  /** Null: the entry is about a decision, and does not say where that stands. */
  place: DecisionPlace | null;
}

type Placed = AlertMatch & { trace: NonNullable<AlertMatch['trace']> & { sequence: number } };

/** Null: the entry says nothing that a rule can be about. */
function readMatch(entry: Judged): Found | null {
  const { traceId, sequence, createdAt: at } = entry;
  const limitShare = findShare(entry);
  if (entry.kind !== 'trace')
    return limitShare === null
      ? null
      : { facts: { limitShare }, at, sequence, traceId, place: null };
  const { verdict: status, confidenceScore, workspaceId } = entry;
  const facts = { status, confidenceScore, ...(limitShare !== null && { limitShare }) };
  return { facts, at, sequence, traceId, place: { id: entry._id.toHexString(), workspaceId } };
}

/** How much of its fullest limit is spent after an entry that reserves; null: it reserves nothing. */
function findShare({ spent = [], sealed }: Pick<Judged, 'spent' | 'sealed'>): number | null {
  if (spent.length === 0) return null;
  const { limits = [] } = readCommittedState(sealed);
  const shares = spent.flatMap(({ key, slots }) =>
    limits
      .filter((limit) => limit.key === key)
      .map(({ most }) => computeShare(most, sumSlots(slots).amount)),
  );
  return shares.length === 0 ? null : Math.max(...shares);
}

/** Adds where decisions stand; of approvals by people that is read, where a rule may match. */
async function placeMatches(
  platform: Platform,
  organizationId: string,
  { rules, found }: { rules: readonly AlertRuleDocument[]; found: readonly Found[] },
): Promise<Placed[]> {
  const { findPlace } = getDecisionReader(platform);
  const placed: Placed[] = [];
  for (const { facts, at, sequence, traceId, place } of found) {
    const mayMatch = (): boolean => rules.some(({ condition }) => isConditionMet(condition, facts));
    const known = place ?? (mayMatch() ? await findPlace(organizationId, traceId) : null);
    if (known) placed.push({ facts, at, trace: { ...known, traceId, sequence } });
  }
  return placed;
}

function findMatches(
  rules: readonly AlertRuleDocument[],
  matches: readonly Placed[],
): RuleMatches[] {
  const found = rules.map((rule) => ({
    rule,
    matches: matches.filter((match) => isMatch(rule, match)),
  }));
  return found.filter((each) => each.matches.length > 0);
}

function isMatch(rule: AlertRuleDocument, { facts, trace }: Placed): boolean {
  return (
    isFollowing(rule, trace.sequence) &&
    isInScope(rule, trace.workspaceId) &&
    isConditionMet(rule.condition, facts)
  );
}
