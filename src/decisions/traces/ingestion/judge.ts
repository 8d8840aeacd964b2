// Judges a decision: confidence, policies, scrubbing. Policies see the submitted values; scrubbed ones are stored.
import { toCanonicalOrder, type Json, type JsonObject } from '@assay/json';
import { type DetectionType, toDetectionTag } from '@assay/scrub';
import {
  LIMIT_TAG,
  type MatchedLimit,
  type PolicySet,
  type ToolCatalogue,
  EFFECTS_MAX,
  fillEffect,
  deriveFacts,
  type Approvals,
  findApprovals,
  findReviewExpiry,
  type PolicyVerdict,
  type ReviewExpiry,
  type ReviewPriority,
  GRANT_TAG,
  HALT_TAG,
} from '@assay/policy';
import {
  type Confidence,
  type DecisionHistory,
  scoreDecision,
} from '../../../domain/confidence/score.ts';
import type { Granted, StandingGrant } from '../../../domain/grants/standing-grant.ts';
import { findUngranted, GRANT_POLICY } from '../../../domain/workload/granted-tools.ts';
import { type Principal, toPrincipalFacts } from '../../../domain/workload/principal.ts';
import { OBSERVED, OBSERVED_HOLD } from '../../../domain/otlp/observed.ts';
import type { LimitNotice } from '../../../domain/budgets/spending.ts';
import { findPolicyHalt, type HaltNotice, type PolicyHalt } from '../../../domain/halt/halt.ts';
import { describeHalt } from '../../../ledger/halts/halted-error.ts';
import {
  type DescribedTools,
  describeSessionState,
  describeTools,
} from '../sessions/described-tools.ts';
import type { JudgedSession } from '../sessions/judged-session.ts';
import type { ResolvedAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { Verdict } from '../traces.model.ts';
import { recordMatchedPolicies, toMatchedPolicy } from './matched-policies.ts';
import { letThrough } from '../limits/drafted-grants.ts';
import { addLimits, countPassed } from '../limits/passed-limits.ts';
import {
  type MemberScrubbers,
  findScrubbedFields,
  scrubMembers,
} from '../scrubbing/scrub-members.ts';

/** Everything that the judgement depends on besides the decision. */
export interface JudgeInput extends MemberScrubbers {
  agent: ResolvedAgent | null;
  agentPolicies: ResolvedAgent['policies'];
  history: DecisionHistory;
  policies: PolicySet;
  at: Date;
  /** Set for a decision after the fact. */
  observed?: Observed | undefined;
  /** Who acts, of a decision that is posted with a run token. */
  principal?: Principal | undefined;
  /** What stopped the decision when it was to be sealed as approved. */
  halt?: HaltNotice | undefined;
  /** The limits that it would have passed when it was to be sealed as approved. */
  passed?: readonly LimitNotice[] | undefined;
  /** The standing grants of its agent and workspace; absent: there are none. */
  grants?: readonly StandingGrant[] | undefined;
  /** What tools do; absent: no policy depends on it. */
  catalogue?: ToolCatalogue | undefined;
  /** Present with a catalogue. */
  session?: JudgedSession | undefined;
}

/** How a decision is treated that was carried out before it was reported. */
export interface Observed {
  /** Tags of how it was reported. */
  tags: readonly string[];
  /** Whether a person reviews what a policy would have held; else it is approved with a tag. */
  review: boolean;
}

export interface DeclaredEffect {
  template: string;
  /** Filled; null where an argument is missing. It may hold personal data, and is not kept. */
  text: string | null;
  /** Filled from the scrubbed arguments. */
  name: string | null;
}

export interface Judgement {
  verdict: Verdict;
  confidenceScore: number;
  tags: string[];
  /** Named in the answer to a flagged or blocked decision. */
  policy: { name: string; reason: string } | null;
  /** Priority set by the policy that held the decision; null if it sets none. */
  reviewPriority: ReviewPriority | null;
  /** Expiry set by the policies that held the decision; null if none sets one. */
  reviewExpiry: ReviewExpiry | null;
  /** Who has to approve it, by the policies that held it; null: any reviewer, once. */
  approvals: Approvals | null;
  /** The effects that the policies declare, filled from the submitted arguments. */
  effects: DeclaredEffect[];
  /** Whether the action is claimed before it is executed, also when it is approved at once. */
  singleUse: boolean;
  /** Those of which an action counts. */
  matchedPolicyIds: string[];
  /** The limits of the policies that match; all that an approval reserves. */
  limits: readonly MatchedLimit[];
  /** The limits that it would pass. */
  passed: readonly LimitNotice[];
  /** The standing grant that let it through, and the policy that would have held it; null: none did. */
  granted: Granted | null;
  /** Null: no policy depends on what its tools do. */
  described: DescribedTools | null;
  /** What a policy that blocks it halts as well; null: nothing. */
  halts: PolicyHalt | null;
  /** The record of the judgement that the chain commits to. */
  evaluation: JsonObject;
  /** Facts about the judged decision that the chain commits to, besides its content. */
  facts: JsonObject;
  /** The submitted members, scrubbed. */
  content: JsonObject;
}

/** The tag of a decision that was redacted because scrubbing would have taken too much work. */
const SCRUB_LIMIT = 'SCRUB_LIMIT';

const ANOMALY_POLICY = {
  name: 'autoBlockAnomalies',
  reason: 'The engine flagged the decision as an anomaly, and the agent is set to block those',
};

/** Stands for a policy in the answer to a halted agent. */
const HALT_POLICY = 'halt';
/** The tag of a decision that was blocked because its agent was paused. */
const PAUSED_TAG = 'AGENT_PAUSED';
/** Stands for a policy in the answer to a paused agent. */
const PAUSED_POLICY = 'agentPaused';

/**
 * The order of keys has no effect: the decision is judged in the order of its canonical text. The result is built
 * without spreads, which took 6 us of 370 (row node-cpu).
 */
export function evaluateSubmission(submission: JsonObject, input: JudgeInput): Judgement {
  const submitted = toCanonicalOrder(selectDecision(submission, input)) as JsonObject;
  const inspected = inspectDecision(submitted, input);
  const { scored, members, tags, pii } = inspected;
  const described = describeTools(submitted, input);
  const { found, passed } = evaluatePolicies(submitted, { ...inspected, described }, input);
  const { decision, granted } = decide({ ...inspected, submitted, found, passed }, input);
  const { verdict, policy, reviewPriority } = decision;
  const { reviewExpiry, approvals } = readHold(verdict, found);
  const use = readUse(found, { raw: submitted, shown: members });
  return {
    verdict,
    policy,
    reviewPriority,
    reviewExpiry,
    approvals,
    confidenceScore: scored.confidenceScore,
    tags,
    effects: use.effects,
    singleUse: use.singleUse,
    matchedPolicyIds: listActing(found),
    limits: found.limits,
    passed,
    granted,
    described,
    halts: use.halts,
    evaluation: buildEvaluation(input, { ...inspected, found, decision }),
    facts: buildFacts(input, found, { submitted, pii, policy }),
    content: members,
  };
}

interface Judged extends Pick<InspectedDecision, 'scored' | 'tags'>, Pick<Judgement, 'passed'> {
  submitted: JsonObject;
  found: PolicyVerdict;
}

/** The verdict, and the standing grant on which it rests, if one does. */
function decide(judged: Judged, input: JudgeInput): ReturnType<typeof letThrough> {
  const { found, passed, tags, submitted } = judged;
  const settled = addLimits(settleDecision(found, judged, input), passed);
  const held = { output: submitted['outputDecision'] ?? null, found, passed, tags };
  return letThrough(settled, held, input);
}

/** What the policies that hold a decision say of its review. */
const readHold = (
  verdict: Verdict,
  { matched }: PolicyVerdict,
): Pick<Judgement, 'reviewExpiry' | 'approvals'> =>
  verdict === 'flagged'
    ? { reviewExpiry: findReviewExpiry(matched), approvals: findApprovals(matched) }
    : NO_HOLD;

const NO_HOLD = { reviewExpiry: null, approvals: null } as const;

function evaluatePolicies(
  submitted: JsonObject,
  { scored, tags, pii, described }: InspectedDecision & Pick<Judgement, 'described'>,
  { policies, agent, at, principal: who, passed, session }: JudgeInput,
): ReturnType<typeof countPassed> {
  const { confidenceScore } = scored;
  const agentName = agent?.name ?? null;
  const principal = who && toPrincipalFacts(who);
  const state = describeSessionState(described, { at, session });
  const verdict = policies.evaluate(
    deriveFacts(
      { submitted, at, agentName, confidenceScore, tags, pii, principal, state },
      policies.reads,
    ),
  );
  const counted = countPassed(verdict, passed);
  if (hasErrors(counted.found)) tags.push('POLICY_ERROR');
  if (counted.passed.length > 0) tags.push(LIMIT_TAG);
  return counted;
}

/** The policies of which an action counts. */
const listActing = ({ matched }: PolicyVerdict): string[] =>
  matched.filter(({ actions }) => actions.length > 0).map(({ id }) => id);

/** Whether the action is claimed, for which effects, and what is halted, whatever else blocks it. */
function readUse(
  { matched }: PolicyVerdict,
  { raw, shown }: { raw: JsonObject; shown: JsonObject },
): Pick<Judgement, 'effects' | 'singleUse' | 'halts'> {
  const templates = new Set(matched.flatMap(({ effects }) => effects));
  // One too many is recorded unfilled, so that no claim overlooks it.
  const effects = [...templates].slice(0, EFFECTS_MAX + 1).map((template, index) => ({
    template,
    text: index < EFFECTS_MAX ? fillEffect(template, readAction(raw)) : null,
    name: index < EFFECTS_MAX ? fillEffect(template, readAction(shown)) : null,
  }));
  const isSingle = matched.some(({ singleUse }) => singleUse);
  return { effects, singleUse: isSingle, halts: findPolicyHalt(matched) };
}

function readAction({ outputDecision }: JsonObject): Json {
  return (outputDecision as { action?: Json } | undefined)?.action ?? null;
}

/** Leaves out the caller's own requests, such as a review: they are not judged, and not stored. */
function omitRequests(submission: JsonObject): JsonObject {
  if (submission['review'] === undefined) return submission;
  const { review: _review, ...decision } = submission;
  return decision;
}

/** What is judged. A decision without an agent is that of the key's agent, and says so. */
function selectDecision(submission: JsonObject, { agent }: JudgeInput): JsonObject {
  const decision = omitRequests(submission);
  if (decision['agentId'] !== undefined || !agent) return decision;
  return { ...decision, agentId: agent.agentId };
}

/** The findings of scoring and scrubbing. */
interface InspectedDecision {
  scored: Confidence;
  /** Scrubbed. */
  members: JsonObject;
  /** Paths of what scrubbing changed. */
  changed: string[];
  tags: string[];
  pii: { types: DetectionType[]; outputTypes: DetectionType[] };
}

function inspectDecision(submitted: JsonObject, input: JudgeInput): InspectedDecision {
  const scored = scoreDecision(submitted, input.agentPolicies, input.history);
  const scrubbed = scrubMembers(submitted, input);
  const { members, changed, types, outputTypes, isComplete } = scrubbed;
  const reported = input.observed ? [OBSERVED, ...input.observed.tags] : [];
  const tags = [...new Set([...scored.tags, ...types.map(toDetectionTag), ...reported])];
  if (!isComplete) tags.push(SCRUB_LIMIT);
  return { scored, members, changed, tags, pii: { outputTypes, types } };
}

/** The verdict and its reasons. */
interface Decision {
  verdict: Verdict;
  policy: Judgement['policy'];
  reviewPriority: ReviewPriority | null;
  /** The id of a policy, or the name of the agent's setting. */
  decidedBy: string | null;
}

/** `isAnomaly`: the engine found an anomaly, and the agent is set to block those. */
function decideVerdict(found: PolicyVerdict, isAnomaly: boolean): Decision {
  const verdict = isAnomaly ? 'blocked' : found.status;
  return {
    verdict,
    reviewPriority: found.matched.find(({ id }) => id === found.decidedBy)?.reviewPriority ?? null,
    policy: verdict === 'approved' ? null : (findDecidingPolicy(found, verdict) ?? ANOMALY_POLICY),
    decidedBy: isAnomaly && found.status !== 'blocked' ? ANOMALY_POLICY.name : found.decidedBy,
  };
}

function settleDecision(
  found: PolicyVerdict,
  { scored, tags, submitted }: { scored: Confidence; tags: string[]; submitted: JsonObject },
  { agent, agentPolicies, observed, principal, halt }: JudgeInput,
): Decision {
  if (halt) tags.push(HALT_TAG);
  if (halt?.state === 'halted') return blockAtOnce(HALT_POLICY, describeHalt(halt));
  if (agent?.pausedBecause) {
    tags.push(PAUSED_TAG);
    return blockAtOnce(PAUSED_POLICY, `The agent is paused: ${agent.pausedBecause}`);
  }
  const why = findUngranted(submitted['outputDecision'] ?? null, principal?.grant ?? {});
  if (why !== null) {
    tags.push(GRANT_TAG);
    return blockAtOnce(GRANT_POLICY, why);
  }
  const isAnomaly = scored.anomaly && agentPolicies.autoBlockAnomalies;
  const decision = decideVerdict(found, isAnomaly);
  return halt ? holdWatched(decision, halt) : settleObserved(decision, observed, tags);
}

/** Under a watch a person decides what the policies would have approved. */
function holdWatched(decision: Decision, halt: HaltNotice): Decision {
  if (decision.verdict !== 'approved') return decision;
  const policy = { name: HALT_POLICY, reason: describeHalt(halt) };
  return { verdict: 'flagged', policy, reviewPriority: null, decidedBy: HALT_POLICY };
}

/** Blocks whatever the policies say. */
function blockAtOnce(name: string, reason: string): Decision {
  return { verdict: 'blocked', policy: { name, reason }, reviewPriority: null, decidedBy: name };
}

/** The facts that are committed to; those of a principal and of observing policies only where there are some. */
function buildFacts(
  { principal, agent }: JudgeInput,
  { observed }: PolicyVerdict,
  {
    submitted,
    pii,
    policy,
  }: { submitted: JsonObject; pii: JsonObject; policy: Judgement['policy'] },
): JsonObject {
  const members = Object.keys(submitted);
  const facts: JsonObject = { agentName: agent?.name ?? null, members, pii, policy };
  if (principal) facts['principal'] = { ...toPrincipalFacts(principal) };
  if (observed.length > 0) facts['observed'] = observed.map(toMatchedPolicy);
  return facts;
}

/** Approves what would have been held: it is done, and no review could stop it. `decidedBy` stays. */
function settleObserved(
  decision: Decision,
  observed: Observed | undefined,
  tags: string[],
): Decision {
  if (!observed || decision.verdict !== 'flagged') return decision;
  tags.push(OBSERVED_HOLD);
  return observed.review
    ? decision
    : { ...decision, verdict: 'approved', policy: null, reviewPriority: null };
}

const hasErrors = ({ failed, matched }: PolicyVerdict): boolean =>
  failed.length > 0 || matched.some(({ error }) => error !== null);

function findDecidingPolicy(
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

function buildEvaluation(
  { at, agentPolicies, policies }: JudgeInput,
  findings: Findings,
): JsonObject {
  const { scored, found, tags, decision, changed } = findings;
  // Written in canonical order, so that it need not be sorted (row ingest/R1).
  return {
    agentPolicies: { ...agentPolicies },
    at: at.toISOString(),
    confidenceScore: scored.confidenceScore,
    decidedBy: decision.decidedBy,
    features: toCanonicalOrder(scored.features),
    matchedPolicies: recordMatchedPolicies(found),
    scrubbed: findScrubbedFields(policies.fields, changed),
    tags,
  };
}
