// Judges one submitted decision: confidence, policies, scrubbing. Policies see what was submitted; stored is what scrubbing left of it.
import {
  type Confidence,
  type DecisionHistory,
  scoreInParts,
} from '../../../domain/confidence/score.ts';
import { atOnce, type Parts } from '../../../domain/others-turn.ts';
import { inCanonicalOrder } from '../../../domain/record/canonical-json.ts';
import type { Json, JsonObject } from '../../../domain/record/json.ts';
import type { PolicySet } from '../../../domain/policies/compile.ts';
import { factsInParts } from '../../../domain/policies/facts.ts';
import type { PolicyVerdict } from '../../../domain/policies/verdict.ts';
import type { ReviewPriority } from '../../../domain/review-sla.ts';
import { type DetectionType, detectionTag } from '../../../domain/scrub/rule.ts';
import type { KnownAgent } from '../../agents/agent-resolver.service.ts';
import type { Verdict } from '../traces.model.ts';
import { type MemberScrubbers, scrubbedFields, scrubMembers } from './scrub-members.ts';

/** Everything that decides about a decision besides the decision. */
export interface JudgeInput extends MemberScrubbers {
  agent: KnownAgent | null;
  agentPolicies: KnownAgent['policies'];
  history: DecisionHistory;
  policies: PolicySet;
  at: Date;
}

export interface Judgement {
  verdict: Verdict;
  confidenceScore: number;
  tags: string[];
  /** Named in the answer to a flagged or blocked decision. */
  policy: { name: string; reason: string } | null;
  /** What the policy that held it says of its urgency; null: nothing. */
  reviewPriority: ReviewPriority | null;
  matchedPolicyIds: string[];
  /** What the chain commits to about the judgement. */
  evaluation: JsonObject;
  /** What the chain commits to about what was judged, besides the content. */
  facts: JsonObject;
  /** The submitted members, scrubbed. */
  content: JsonObject;
}

/** The tag of a decision that was redacted where scrubbing would have taken too much work. */
const SCRUB_LIMIT = 'SCRUB_LIMIT';

const ANOMALY_POLICY = {
  name: 'autoBlockAnomalies',
  reason: 'The engine flagged the decision as an anomaly, and the agent is set to block those',
};

/** The order of keys decides nothing: what is judged is the decision as it is read back from its canonical text. */
export function judge(given: JsonObject, input: JudgeInput): Judgement {
  return atOnce(judgeInParts(given, input));
}

/** `judge` in parts of some milliseconds; the first is empty, since the limits of the decision were checked just before. */
export function* judgeInParts(given: JsonObject, input: JudgeInput): Parts<Judgement> {
  yield;
  const submitted = inCanonicalOrder(given) as JsonObject;
  const { policies, at } = input;
  yield;
  const { scored, members, changed, tags, pii } = yield* inspected(submitted, input);
  const agentName = input.agent?.name ?? null;
  yield;
  const facts = yield* factsInParts(
    { submitted, at, agentName, confidenceScore: scored.confidenceScore, tags, pii },
    policies.reads,
  );
  yield;
  const found = policies.evaluate(facts);
  if (hasErrors(found)) tags.push('POLICY_ERROR');
  const decision = decisionOf(found, scored.anomaly && input.agentPolicies.autoBlockAnomalies);
  return {
    verdict: decision.verdict,
    confidenceScore: scored.confidenceScore,
    tags,
    policy: decision.policy,
    reviewPriority: decision.reviewPriority,
    matchedPolicyIds: found.matched.map(({ id }) => id),
    evaluation: evaluationOf(input, { scored, found, tags, decision, changed }),
    facts: { agentName, members: Object.keys(submitted), pii, policy: decision.policy },
    content: members,
  };
}

/** What scoring and scrubbing found. */
interface Inspected {
  scored: Confidence;
  /** Scrubbed. */
  members: JsonObject;
  /** Paths of what scrubbing changed. */
  changed: string[];
  tags: string[];
  pii: { types: DetectionType[]; outputTypes: DetectionType[] };
}

function* inspected(submitted: JsonObject, input: JudgeInput): Parts<Inspected> {
  const scored = yield* scoreInParts(submitted, input.agentPolicies, input.history);
  yield;
  const scrubbed = yield* scrubMembers(submitted, input);
  const { members, changed, types, outputTypes, isComplete } = scrubbed;
  const tags = [...new Set([...scored.tags, ...types.map(detectionTag)])];
  if (!isComplete) tags.push(SCRUB_LIMIT);
  return { scored, members, changed, tags, pii: { outputTypes, types } };
}

/** The verdict, and what it rests on. */
interface Decision {
  verdict: Verdict;
  policy: Judgement['policy'];
  reviewPriority: ReviewPriority | null;
  /** The id of a policy, or the name of the agent's setting. */
  decidedBy: string | null;
}

/** `isAnomaly`: the agent is set to block what the engine found. */
function decisionOf(found: PolicyVerdict, isAnomaly: boolean): Decision {
  const verdict = isAnomaly ? 'blocked' : found.status;
  return {
    verdict,
    reviewPriority: found.matched.find(({ id }) => id === found.decidedBy)?.reviewPriority ?? null,
    policy: verdict === 'approved' ? null : (decidingPolicy(found, verdict) ?? ANOMALY_POLICY),
    decidedBy: isAnomaly && found.status !== 'blocked' ? ANOMALY_POLICY.name : found.decidedBy,
  };
}

function hasErrors({ failed, matched }: PolicyVerdict): boolean {
  return failed.length > 0 || matched.some(({ error }) => error !== null);
}

function decidingPolicy(
  { decidedBy, matched, status }: PolicyVerdict,
  verdict: Verdict,
): Judgement['policy'] {
  const decider = status === verdict ? matched.find(({ id }) => id === decidedBy) : undefined;
  return decider ? { name: decider.name, reason: decider.reason } : null;
}

interface Findings {
  scored: Confidence;
  found: PolicyVerdict;
  tags: string[];
  decision: Decision;
  /** Paths of what scrubbing changed. */
  changed: string[];
}

function evaluationOf({ at, agentPolicies, policies }: JudgeInput, findings: Findings): JsonObject {
  const { scored, found, tags, decision, changed } = findings;
  // In canonical order, which then need not be made (row ingest/R1).
  return {
    agentPolicies: { ...agentPolicies },
    at: at.toISOString(),
    confidenceScore: scored.confidenceScore,
    decidedBy: decision.decidedBy,
    features: inCanonicalOrder(scored.features),
    matchedPolicies: matchedPolicies(found),
    scrubbed: scrubbedFields(policies.fields, changed),
    tags,
  };
}

function matchedPolicies({ matched, failed }: PolicyVerdict): Json[] {
  return [...matched, ...failed].map((match) => ({
    actions: 'actions' in match ? [...match.actions] : [],
    error: match.error,
    id: match.id,
    revision: match.revision,
  }));
}
