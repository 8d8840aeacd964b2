// Judges a stored decision again by the policies that judged it, from what its entry commits to: the same result, or which policies it cannot tell.
import type { Json, JsonObject } from '../record/json.ts';
import type { PolicySet } from './compile.ts';
import { factsOf, factSourcesOf } from './facts.ts';

/** The committed values of a decision, by name; absent ones were erased or never kept. */
export interface RecordedDecision {
  evaluation: RecordedEvaluation;
  /** Absent from entries of before it was committed to. */
  facts?: RecordedFacts | undefined;
  origin?: JsonObject | undefined;
  /** `inputContext`, `outputDecision`, `rationale` and so on. */
  content: JsonObject;
  schemaVersion: string;
}

/** What is needed of `evaluation` (docs/formats.md). */
export interface RecordedEvaluation {
  at: string;
  confidenceScore: number;
  tags: string[];
  matchedPolicies: { id: string; error: string | null }[];
  scrubbed: string[];
}

export interface RecordedFacts {
  agentName: string | null;
  pii: { types: string[]; outputTypes: string[] };
  /** The names of the submitted members. */
  members: string[];
}

export interface Replay {
  /** Ids of the policies that match again, in evaluation order. */
  matched: string[];
  /** Ids of those of which it cannot be told: what they read was scrubbed, not kept or erased, or they were in error. */
  undecided: string[];
  /** Whether the policies that can be told match as they did. */
  isSame: boolean;
}

/** `policies`: the revisions that the entry's `policySetDigest` names. */
export function judgeAgain(decision: RecordedDecision, policies: PolicySet): Replay {
  const { evaluation } = decision;
  const submitted = submittedOf(decision);
  const unknown = policies.fields.filter((field) => !isFieldKept(field, decision, submitted));
  const known = factsAgain(submitted, decision);
  const again = policies.evaluateAgain(known, new Set(unknown));
  const inError = evaluation.matchedPolicies.filter(({ error }) => error !== null);
  const undecided = new Set([...again.undecided, ...inError.map(({ id }) => id)]);
  const matched = again.matched.filter((id) => !undecided.has(id));
  const before = evaluation.matchedPolicies.map(({ id }) => id).filter((id) => !undecided.has(id));
  return {
    matched,
    undecided: [...undecided],
    isSame: matched.join() === before.join(),
  };
}

/** The facts that it was judged on, as far as they are known; limited to what is read. */
export function factsAgain(
  submitted: JsonObject,
  { evaluation, facts }: RecordedDecision,
  reads?: PolicySet['reads'],
): JsonObject {
  const known = {
    submitted,
    at: new Date(evaluation.at),
    confidenceScore: evaluation.confidenceScore,
    tags: evaluation.tags.filter((tag) => tag !== 'POLICY_ERROR'),
    agentName: facts?.agentName ?? null,
    pii: facts?.pii ?? { types: [], outputTypes: [] },
  };
  return factsOf(known, reads);
}

/** The members that were submitted, as far as they were kept; what is null is not committed to. */
export function submittedOf({
  facts,
  origin,
  content,
  schemaVersion,
}: RecordedDecision): JsonObject {
  const submitted: JsonObject = {};
  for (const name of facts?.members ?? Object.keys(content)) {
    const value = valueOf(name, { ...origin, ...content, schemaVersion });
    if (value !== undefined) submitted[name] = value;
  }
  return submitted;
}

function valueOf(name: string, values: JsonObject): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Whether the value of a condition's field, or its absence, is what it was. */
export function isFieldKept(
  field: string,
  { evaluation, facts }: RecordedDecision,
  submitted: JsonObject,
): boolean {
  const [root = ''] = field.split('.');
  if (['confidenceScore', 'tags', 'time'].includes(root)) return true;
  if (root === 'agentName' || root === 'pii') return facts !== undefined;
  if (facts === undefined || evaluation.scrubbed.includes(field)) return false;
  return factSourcesOf(field)
    .map((source) => source.split('.')[0] as string)
    .every((name) => !facts.members.includes(name) || Object.hasOwn(submitted, name));
}
