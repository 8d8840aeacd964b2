// The path of a decision: agent, policies, verdict, who decided, what became of it; as a key that counters have.
import type { ExecutionPayload, ExecutionState, ReviewPayload } from '../record/payload.ts';
import { findReviewEnd, LAPSED } from '../review/review-end.ts';

export const VERDICTS = ['approved', 'flagged', 'blocked'] as const;
type Verdict = (typeof VERDICTS)[number];

/** How a decision that no user decided got where it is. */
export const FLOW_DECIDERS = [
  /** The verdict of the policies stands. */
  'none',
  'waiting',
  'expired',
  'withdrawn',
  /** Like many that people approved. */
  'automatic',
  /** A person, by a key of the organisation. */
  'key',
  /** It was erased before it was counted. */
  'erased',
  'other',
] as const;

export const OUTCOMES = [
  'waiting',
  /** It may be carried out; nothing was reported. */
  'allowed',
  'claimed',
  'succeeded',
  'failed',
  'unknown',
  'stopped',
  'erased',
  'other',
] as const;
export type PathOutcome = (typeof OUTCOMES)[number];

/** What stands for all that have no place of their own. */
export const OTHER = 'other';
/** An agent that is not registered begins so; its keyed digest follows. */
export const MARK = '~';
/** A decision that names no agent, or of which that is erased. */
export const UNNAMED = 'unnamed';

export interface DecisionPath {
  /** The id of a registered agent, the mark of another one, or `other`. */
  agent: string;
  /** The ids of the policies that matched, in the order in which they were judged; `other`: one of rare sets. */
  policies: readonly string[];
  verdict: Verdict;
  /** The id of a user, or one of `FLOW_DECIDERS`. */
  decider: string;
  outcome: PathOutcome;
}

/** Columns of a decision that its path depends on; they stay until it is erased. */
export interface PathFacts {
  verdict: Verdict;
  agentId: string | null;
  /** Null: the agent is not registered. */
  agentName: string | null;
  answer?: { agentMark?: string } | null;
  matchedPolicyIds?: readonly string[] | null;
  /** Null once it is erased. */
  timestamp: Date | null;
}

type Later = ReviewPayload | ExecutionPayload;
/** Ids of policies that a key has; a decision that more of them match says no more of the rest. */
const POLICIES_MAX = 8;
const ID = /^[0-9a-f]{24}$/;

/** The path of a decision after these entries about it, oldest first. */
export function derivePath(facts: PathFacts, later: readonly Later[]): DecisionPath {
  const { verdict, matchedPolicyIds, timestamp } = facts;
  const policies = (matchedPolicyIds ?? []).slice(0, POLICIES_MAX);
  const place = { agent: deriveAgent(facts), policies, verdict };
  if (timestamp === null) return { ...place, decider: 'erased', outcome: 'erased' };
  return { ...place, ...deriveEnd(verdict, later) };
}

function deriveAgent({ agentId, agentName, answer }: PathFacts): string {
  if (agentName !== null && agentId !== null && ID.test(agentId)) return agentId;
  return answer?.agentMark === undefined ? UNNAMED : `${MARK}${answer.agentMark}`;
}

function deriveEnd(
  verdict: Verdict,
  later: readonly Later[],
): Pick<DecisionPath, 'decider' | 'outcome'> {
  const executed = findLast(later, 'execution');
  const reviewed = findLast(later, 'review');
  if (verdict === 'blocked') return { decider: 'none', outcome: 'stopped' };
  if (verdict === 'approved') return { decider: 'none', outcome: toOutcome(executed?.state) };
  if (!reviewed) return { decider: 'waiting', outcome: 'waiting' };
  const isLetThrough = reviewed.decision === 'approve';
  const outcome = isLetThrough ? toOutcome(executed?.state) : 'stopped';
  return { decider: deriveDecider(reviewed), outcome };
}

function findLast<K extends Later['kind']>(
  later: readonly Later[],
  kind: K,
): Extract<Later, { kind: K }> | undefined {
  const found = later.findLast((payload) => payload.kind === kind);
  return found as Extract<Later, { kind: K }> | undefined;
}

const toOutcome = (state: ExecutionState | undefined): PathOutcome => state ?? 'allowed';

/** A user's id, or what ended the hold. */
export function deriveDecider(payload: ReviewPayload): string {
  const { actor } = payload;
  if (findReviewEnd(payload) === 'withdrawn') return 'withdrawn';
  if (Object.hasOwn(payload.commitments, LAPSED)) return 'expired';
  if (actor.kind === 'system') return 'automatic';
  return actor.kind === 'user' && actor.id !== null && ID.test(actor.id) ? actor.id : 'key';
}

/** The key of a path: ids, digests and fixed words, none of which has a bar. */
export function toPathKey({ agent, policies, verdict, decider, outcome }: DecisionPath): string {
  return [agent, policies.join(','), verdict, decider, outcome].join('|');
}

/** Null: it is the key of no path. */
export function parsePathKey(key: string): DecisionPath | null {
  const [agent = '', policies = '', verdict, decider = '', outcome] = key.split('|');
  const isPath = isOneOf(VERDICTS, verdict) && isOneOf(OUTCOMES, outcome);
  return isPath ? { agent, policies: parsePolicies(policies), verdict, decider, outcome } : null;
}

export const parsePolicies = (text: string): string[] => (text === '' ? [] : text.split(','));

const isOneOf = <const T extends string>(
  known: readonly T[],
  text: string | undefined,
): text is T => known.includes(text as T);
