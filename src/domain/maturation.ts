// When held decisions of one pattern have been approved so often that the service may approve the next itself (docs/cpi.md).
import { factsOf } from './policies/facts.ts';
import { canonicalize } from './record/canonical-json.ts';
import type { Json, JsonObject } from './record/json.ts';
import type { ReviewPriority } from './review-sla.ts';

/** A workspace's setting; without one nothing is approved by the service. */
export interface AutoApproval {
  /** Of persons, in a row. */
  approvals: number;
  /** That must have passed since the first of them. */
  days: number;
}
export const APPROVALS = { min: 20, max: 1000 };
export const MATURING_DAYS = { min: 7, max: 365 };

/** After so many days without a verdict of a person nothing is approved by the pattern. */
export const FRESH_DAYS = 30;
/** One in so many goes to a person all the same, so that a pattern that has gone wrong is noticed. */
const SAMPLED = 10;
const DAY_MS = 86_400_000;

/** What persons have said of a pattern. */
export interface Maturity {
  /** Since the newest objection. */
  approvals: number;
  /** The first of them. */
  since?: Date | null;
  lastVerdictAt: Date;
}

/** What a held decision is compared by; as it is stored, that is, scrubbed. */
export interface Comparable {
  workspaceId: string;
  agentId: string;
  /** Null: no registered agent. */
  agentName: string | null;
  agentVersion: string | null;
  outputDecision: Json;
  /** As committed to. */
  evaluation: { tags: string[]; matchedPolicies: MatchedPolicy[] };
  facts: { pii: { outputTypes: string[] } };
}
interface MatchedPolicy {
  id: string;
  revision: number;
  error: string | null;
}

interface ActionFacts {
  names: string[];
  largestList: number;
  recipientDomains: string[];
  largestAmount?: Json;
}

/**
 * The text by which decisions are alike: agent and version, the names of the action, the policies that matched in the revision that
 * matched, how large the amounts and lists are, and who receives it. Null where that cannot be told.
 */
export function patternOf(decision: Comparable): string | null {
  const { evaluation, facts, agentName, outputDecision } = decision;
  const { matchedPolicies, tags } = evaluation;
  const isUncertain = matchedPolicies.some(({ error }) => error !== null);
  const isMasked = facts.pii.outputTypes.length > 0 || tags.includes('SCRUB_LIMIT');
  if (agentName === null || isUncertain || isMasked) return null;
  const { names, largestList, recipientDomains, largestAmount } = actionOf(outputDecision);
  // A pattern is no stand-in for an amount that could not be read.
  const isSized = largestAmount === undefined || typeof largestAmount === 'number';
  if (names.length === 0 || !isSized) return null;
  return canonicalize({
    workspaceId: decision.workspaceId,
    agentId: decision.agentId,
    agentVersion: decision.agentVersion,
    names,
    recipientDomains: recipientDomains.toSorted(),
    largestList: step(largestList),
    largestAmount: largestAmount === undefined ? null : step(largestAmount),
    policies: matchedPolicies.map(({ id, revision }) => `${id}:${revision}`).sort(),
  });
}

function actionOf(outputDecision: Json): ActionFacts {
  const submitted: JsonObject = { outputDecision };
  const derived = factsOf({
    submitted,
    at: new Date(0),
    confidenceScore: 0,
    tags: [],
    agentName: null,
    pii: { types: [], outputTypes: [] },
  });
  return derived.action as unknown as ActionFacts;
}

/** 1, 2, 5, 10, 20, 50 ...: the first that is not smaller. */
function step(size: number): number {
  if (size === 0) return 0;
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5].map((digit) => digit * power).find((bound) => bound >= size) ?? 10 * power;
}

export function isMature(
  { approvals, since, lastVerdictAt }: Maturity,
  setting: AutoApproval,
  at: Date,
): boolean {
  if (!since || approvals < setting.approvals) return false;
  const isOldEnough = at.getTime() - since.getTime() >= setting.days * DAY_MS;
  return isOldEnough && at.getTime() - lastVerdictAt.getTime() <= FRESH_DAYS * DAY_MS;
}

/** Whether a person is to look at it whatever its pattern: told by the hash of its entry, which nobody knows before. */
export function staysWithPerson(priority: ReviewPriority, chainHash: string): boolean {
  return priority === 'critical' || Number.parseInt(chainHash.slice(0, 8), 16) % SAMPLED === 0;
}
