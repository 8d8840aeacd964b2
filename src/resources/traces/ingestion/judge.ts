// Judges one submitted decision: confidence, policies, scrubbing. Policies see what was submitted; what is kept is what scrubbing left of it.
import { scoreDecision, type DecisionHistory } from '../../../domain/confidence/score.ts';
import type { Json, JsonObject } from '../../../domain/record/json.ts';
import type { PolicySet } from '../../../domain/policies/compile.ts';
import { factsOf } from '../../../domain/policies/facts.ts';
import type { PolicyVerdict as PolicyVerdict } from '../../../domain/policies/verdict.ts';
import { detectionTag, type DetectionType } from '../../../domain/scrub/rule.ts';
import type { Scrubber } from '../../../domain/scrub/scrubber.ts';
import type { KnownAgent } from '../../agents/agent-resolver.service.ts';
import type { Verdict } from '../traces.model.ts';

/** Everything that decides about a decision besides the decision. */
export interface JudgeInput {
  agent: KnownAgent | null;
  agentPolicies: KnownAgent['policies'];
  history: DecisionHistory;
  policies: PolicySet;
  scrubber: Scrubber;
  /** For `agentVersion`, in which four numbers joined by dots are a version and no address. */
  versionScrubber: Scrubber;
  at: Date;
}

export interface Judgement {
  verdict: Verdict;
  confidenceScore: number;
  tags: string[];
  /** The policy that a held or blocked decision is told of. */
  policy: { name: string; reason: string } | null;
  matchedPolicyIds: string[];
  /** What the chain commits to about the judgement. */
  evaluation: JsonObject;
  /** The submitted members, scrubbed. */
  kept: JsonObject;
}

const ANOMALY_POLICY = {
  name: 'autoBlockAnomalies',
  reason: 'The engine flagged the decision as an anomaly, and the agent is set to block those',
};

export function judge(submitted: JsonObject, judging: JudgeInput): Judgement {
  const { agent, agentPolicies, history, policies, at } = judging;
  const scored = scoreDecision(submitted, agentPolicies, history);
  const scrubbed = scrubMembers(submitted, judging);
  const tags = [...new Set([...scored.tags, ...scrubbed.types.map(detectionTag)])];
  const pii = { types: scrubbed.types, outputTypes: scrubbed.outputTypes };
  const { confidenceScore } = scored;
  const found = policies.evaluate(
    factsOf(
      { submitted, at, agentName: agent?.name ?? null, confidenceScore, tags, pii },
      policies.reads,
    ),
  );
  const anomalous = scored.anomaly && agentPolicies.autoBlockAnomalies;
  const verdict = anomalous ? 'blocked' : found.status;
  if (found.failed.length > 0 || found.matched.some(({ error }) => error !== null))
    tags.push('POLICY_ERROR');
  return {
    verdict,
    confidenceScore,
    tags,
    policy: verdict === 'approved' ? null : (decidingPolicy(found, verdict) ?? ANOMALY_POLICY),
    matchedPolicyIds: found.matched.map(({ id }) => id),
    evaluation: {
      at: at.toISOString(),
      confidenceScore,
      tags,
      matchedPolicies: [...found.matched, ...found.failed].map((match) => ({
        id: match.id,
        revision: match.revision,
        actions: 'actions' in match ? [...match.actions] : [],
        error: match.error,
      })),
      decidedBy: anomalous && found.status !== 'blocked' ? ANOMALY_POLICY.name : found.decidedBy,
      features: scored.features,
      agentPolicies: { ...agentPolicies },
      scrubbed: scrubbedFields(policies.fields, scrubbed.changed),
    },
    kept: scrubbed.kept,
  };
}

function decidingPolicy(
  { decidedBy, matched, status }: PolicyVerdict,
  verdict: Verdict,
): Judgement['policy'] {
  const decider = status === verdict ? matched.find(({ id }) => id === decidedBy) : undefined;
  return decider ? { name: decider.name, reason: decider.reason } : null;
}

/** Scrubs each member of the decision by itself, so that it is known what the output held. */
function scrubMembers(submitted: JsonObject, { scrubber, versionScrubber }: JudgeInput) {
  const kept: JsonObject = {};
  const changed: string[] = [];
  const types = new Set<DetectionType>();
  let outputTypes: DetectionType[] = [];
  for (const [name, value] of Object.entries(submitted)) {
    const member = (name === 'agentVersion' ? versionScrubber : scrubber).value(value);
    kept[name] = member.value;
    for (const pointer of member.changed) changed.push(`${name}${pointer}`);
    for (const type of member.detections) types.add(type);
    if (name === 'outputDecision') outputTypes = member.detections;
  }
  return { kept, changed, types: [...types].sort(), outputTypes };
}

/** The condition fields that looked at a value which scrubbing changed: there a replay cannot tell. */
function scrubbedFields(fields: readonly string[], changed: readonly string[]): Json[] {
  if (changed.length === 0) return [];
  const paths = changed.map((pointer) => pointer.split('/').map(unescaped).join('.'));
  return fields.filter((field) =>
    paths.some(
      (path) => path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`),
    ),
  );
}

/** RFC 6901. */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
