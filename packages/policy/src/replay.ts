// Replays the judgement of a stored decision from its committed values, and names the policies that stay undecided.
import type { Json, JsonObject } from '@assay/json';
import type { PolicySet } from './compile.ts';
import type { ActionType } from './definition.ts';
import { deriveFacts, listFactSources } from './facts.ts';
import { isStateField, isValueField, type StateFacts } from './tools/state-facts.ts';
import {
  GRANT_TAG,
  HALT_TAG,
  LIMIT_TAG,
  STANDING_GRANT_TAG,
  type PrincipalFacts,
} from './principal-facts.ts';

/** The committed values of a decision, by name; absent ones were erased or never kept. */
export interface RecordedDecision {
  evaluation: RecordedEvaluation;
  /** Absent from entries written before facts were committed. */
  facts?: RecordedFacts | undefined;
  origin?: JsonObject | undefined;
  /** `inputContext`, `outputDecision`, `rationale` and so on. */
  content: JsonObject;
  schemaVersion: string;
  /** What its tools do and what its session did before; undefined: it was judged without. */
  state?: StateFacts | undefined;
}

/** Tags that the engine adds after the policies have judged. */
const AFTERWARDS: ReadonlySet<string> = new Set([
  'POLICY_ERROR',
  'AGENT_PAUSED',
  GRANT_TAG,
  HALT_TAG,
  LIMIT_TAG,
  STANDING_GRANT_TAG,
]);

/** A policy that matched, or could not be evaluated. */
interface RecordedMatch {
  id: string;
  error: string | null;
}

/** The members of `evaluation` that a replay reads (docs/reference/formats.md). */
export interface RecordedEvaluation {
  at: string;
  confidenceScore: number;
  tags: string[];
  matchedPolicies: RecordedMatch[];
  scrubbed: string[];
}

export interface RecordedFacts {
  agentName: string | null;
  pii: { types: string[]; outputTypes: string[] };
  /** Absent: it was posted with a key. */
  principal?: PrincipalFacts;
  /** What observing policies matched; absent where they matched nothing. */
  observed?: (RecordedMatch & { actions: readonly ActionType[] })[];
  /** The names of the submitted members. */
  members: string[];
}

export interface Replay {
  /** Ids of the policies that match again, in evaluation order. */
  matched: string[];
  /** Ids of the policies that stay undecided: their fields were scrubbed, not kept or erased, or they were in error. */
  undecided: string[];
  /** Whether all decided policies match as they did. */
  isSame: boolean;
}

/** Replays a decision; `policies` are the revisions that the entry's `policySetDigest` names. */
export function replayJudgement(decision: RecordedDecision, policies: PolicySet): Replay {
  const { evaluation } = decision;
  const submitted = rebuildSubmitted(decision);
  const unknown = policies.fields.filter((field) => !isFieldKept(field, decision, submitted));
  const known = rebuildFacts(submitted, decision);
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

/** The facts of the original judgement that were kept, limited to the members that some condition `reads`. */
export function rebuildFacts(
  submitted: JsonObject,
  { evaluation, facts, state }: RecordedDecision,
  reads?: PolicySet['reads'],
): JsonObject {
  const known = {
    submitted,
    at: new Date(evaluation.at),
    confidenceScore: evaluation.confidenceScore,
    tags: evaluation.tags.filter((tag) => !AFTERWARDS.has(tag)),
    agentName: facts?.agentName ?? null,
    pii: facts?.pii ?? { types: [], outputTypes: [] },
    principal: facts?.principal,
    state,
  };
  return deriveFacts(known, reads);
}

/** The submitted members that were kept; null values are not committed. */
export function rebuildSubmitted({
  facts,
  origin,
  content,
  schemaVersion,
}: RecordedDecision): JsonObject {
  const submitted: JsonObject = {};
  for (const name of facts?.members ?? Object.keys(content)) {
    const value = getOwnValue(name, { ...origin, ...content, schemaVersion });
    if (value !== undefined) submitted[name] = value;
  }
  return submitted;
}

function getOwnValue(name: string, values: JsonObject): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Whether a condition's field still has the value, or the absence, that was judged. */
export function isFieldKept(
  field: string,
  { evaluation, facts, state }: RecordedDecision,
  submitted: JsonObject,
): boolean {
  const [root = ''] = field.split('.');
  if (isValueField(field)) return state?.action.promptSeen !== undefined;
  if (isStateField(field)) return state !== undefined;
  if (['confidenceScore', 'tags', 'time'].includes(root)) return true;
  if (['agentName', 'pii', 'principal'].includes(root)) return facts !== undefined;
  if (facts === undefined || evaluation.scrubbed.includes(field)) return false;
  return listFactSources(field)
    .map((source) => source.split('.')[0] as string)
    .every((name) => !facts.members.includes(name) || Object.hasOwn(submitted, name));
}
