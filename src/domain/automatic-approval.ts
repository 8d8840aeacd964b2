// Decides when a pattern of held decisions has been approved often enough for automatic approval (cpi.md).
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import { deriveFacts, type ReviewPriority } from '@assay/policy';

/** A workspace's setting; without one nothing is approved by the service. */
export interface AutoApproval {
  /** Approvals by people, in a row. */
  approvals: number;
  /** Days that must have passed since the first of them. */
  days: number;
}
export const APPROVALS = { min: 20, max: 1000 };
export const MATURING_DAYS = { min: 7, max: 365 };

/** Without a human verdict for this many days a pattern approves nothing. */
export const FRESH_DAYS = 30;
/** One decision in this many goes to a person anyway, so that a pattern gone wrong is noticed. */
const SAMPLED = 10;
const DAY_MS = 86_400_000;

/** The human verdicts on a pattern. */
export interface Maturity {
  /** Approvals since the newest objection. */
  approvals: number;
  /** The first of them. */
  since?: Date | null;
  lastVerdictAt: Date;
}

/** The members of a held decision that are compared, as stored, that is, scrubbed. */
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
 * The text that decisions of one pattern share: agent and version, the names of the action, the matched policies with
 * their revisions, the size of amounts and lists, and the recipients. Null when a decision has no reliable pattern.
 */
export function derivePattern(decision: Comparable): string | null {
  const { evaluation, facts, agentName, outputDecision } = decision;
  const { matchedPolicies, tags } = evaluation;
  const isUncertain = matchedPolicies.some(({ error }) => error !== null);
  const isMasked = facts.pii.outputTypes.length > 0 || tags.includes('SCRUB_LIMIT');
  if (agentName === null || isUncertain || isMasked) return null;
  const { names, largestList, recipientDomains, largestAmount } = readActionFacts(outputDecision);
  // An amount that could not be read must not be part of a pattern.
  const isSized = largestAmount === undefined || typeof largestAmount === 'number';
  if (names.length === 0 || !isSized) return null;
  return canonicalize({
    workspaceId: decision.workspaceId,
    agentId: decision.agentId,
    agentVersion: decision.agentVersion,
    names,
    recipientDomains: recipientDomains.toSorted(),
    largestList: toStep(largestList),
    largestAmount: largestAmount === undefined ? null : toStep(largestAmount),
    policies: matchedPolicies.map(({ id, revision }) => `${id}:${revision}`).sort(),
  });
}

function readActionFacts(outputDecision: Json): ActionFacts {
  const submitted: JsonObject = { outputDecision };
  const derived = deriveFacts({
    submitted,
    at: new Date(0),
    confidenceScore: 0,
    tags: [],
    agentName: null,
    pii: { types: [], outputTypes: [] },
  });
  return derived.action as unknown as ActionFacts;
}

/** Rounds up to one of 1, 2, 5, 10, 20, 50 and so on. */
function toStep(size: number): number {
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

/** What a review says of those who decide. */
interface HeldReview {
  priority: ReviewPriority;
  /** Present where a policy says who approves. */
  approvals?: object;
}

/** Whether a person must review it whatever its pattern: drawn by the hash of its entry, which is unpredictable. */
export function mustGoToPerson({ priority, approvals }: HeldReview, chainHash: string): boolean {
  if (approvals || priority === 'critical') return true;
  return Number.parseInt(chainHash.slice(0, 8), 16) % SAMPLED === 0;
}
