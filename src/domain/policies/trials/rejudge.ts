// Judges a recorded decision by another set of policies, or gives the reason why the outcome is unknown.
import type { Json, JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import {
  compilePolicies,
  type PolicySet,
  type ActionType,
  type PolicyDefinition,
  listFactSources,
  rebuildFacts,
  isFieldKept,
  rebuildSubmitted,
  type RecordedDecision,
  type RecordedEvaluation,
  GRANT_TAG,
  HALT_TAG,
  toCacheKey,
} from '@assay/policy';

/** Why an outcome is unknown: decision erased, value not stored, value scrubbed, other engine, condition in error. */
export const UNKNOWN_REASONS = ['erased', 'unstored', 'scrubbed', 'engine', 'error'] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

type Verdict = 'approved' | 'flagged' | 'blocked';

export type Rejudged =
  /** `verdict` null: it would not have been blocked, but whether it would have been held is unknown. */
  { isBlocked: boolean; verdict: Verdict | null; matched: string[] } | { untold: UnknownReason };

/** A set of policies that is tried on decisions that other sets have judged. */
export interface TriedSet {
  set: PolicySet;
  policies: ReadonlyMap<string, PolicyDefinition>;
}

/** Further members of `evaluation` that a trial reads (docs/reference/formats.md). */
interface JudgedEvaluation extends RecordedEvaluation {
  matchedPolicies: { id: string; actions: readonly ActionType[]; error: string | null }[];
  agentPolicies?: { autoBlockAnomalies?: boolean };
}

/** A recorded decision with its original judgement. */
export interface DecisionOnRecord extends RecordedDecision {
  evaluation: JudgedEvaluation;
  /** Whether some of its values were erased since; score and tags stay. */
  isErased: boolean;
  /** Whether the current engine is the one that judged it. */
  isSameEngine: boolean;
  /** The policies that judged it, by `toCacheKey`. */
  judgedBy: ReadonlySet<string>;
}

export function compileTriedSet(definitions: readonly PolicyDefinition[]): TriedSet {
  const policies = new Map(definitions.map((definition) => [definition.id, definition]));
  return { set: compilePolicies(definitions), policies };
}

/** Takes the recorded result of every policy that judged in the same revision, and evaluates the others. */
export function evaluateTriedSet(decision: DecisionOnRecord, tried: TriedSet): Rejudged {
  const lost = findLostFields(decision, tried.set);
  const { matched, undecided } = tried.set.evaluateAgain(
    rebuildFacts(rebuildSubmitted(decision), decision, tried.set.reads),
    new Set(lost.keys()),
    new Work(workLimits.conditions),
  );
  const outcome = { matched: new Set(matched), undecided: new Set(undecided) };
  for (const definition of tried.policies.values()) applyRecorded(definition, decision, outcome);
  return deriveVerdict(decision, tried, { ...outcome, lost });
}

interface Outcome {
  matched: Set<string>;
  undecided: Set<string>;
}

/** Replaces an undecided result by the recorded one, also for a policy that matched because it was in error. */
function applyRecorded(
  definition: PolicyDefinition,
  { judgedBy, evaluation }: DecisionOnRecord,
  { matched, undecided }: Outcome,
): void {
  const { id } = definition;
  if (!judgedBy.has(toCacheKey(definition))) return;
  const recorded = evaluation.matchedPolicies.find((match) => match.id === id);
  if (!undecided.has(id) && recorded?.error == null) return;
  undecided.delete(id);
  if (recorded && recorded.actions.length > 0) matched.add(id);
  else matched.delete(id);
}

function deriveVerdict(
  { evaluation }: DecisionOnRecord,
  { set, policies }: TriedSet,
  { matched, undecided, lost }: Outcome & { lost: ReadonlyMap<string, UnknownReason> },
): Rejudged {
  const findPolicy = (ids: ReadonlySet<string>, type: ActionType): PolicyDefinition | undefined =>
    [...policies.values()].find(
      ({ id, actions }) => ids.has(id) && actions.some((action) => action.type === type),
    );
  const ids = set.members.map(({ id }) => id).filter((id) => matched.has(id));
  if (isBlockedByAgent(evaluation) || findPolicy(matched, 'block'))
    return { isBlocked: true, verdict: 'blocked', matched: ids };
  const blocking = findPolicy(undecided, 'block');
  if (blocking) return { untold: findReason(blocking, lost) };
  if (findPolicy(matched, 'flag_for_review'))
    return { isBlocked: false, verdict: 'flagged', matched: ids };
  const isHeld = findPolicy(undecided, 'flag_for_review') !== undefined;
  return { isBlocked: false, verdict: isHeld ? null : 'approved', matched: ids };
}

/** They say that something blocked it whatever the policies say. */
const FORCING_TAGS = ['AGENT_PAUSED', GRANT_TAG, HALT_TAG];

/** A pause of the agent, a halt, a grant, and the agent's `autoBlockAnomalies` setting block, whatever the policies say. */
function isBlockedByAgent({ tags, agentPolicies }: DecisionOnRecord['evaluation']): boolean {
  const isAnomaly = agentPolicies?.autoBlockAnomalies === true && tags.includes('ANOMALY');
  return isAnomaly || FORCING_TAGS.some((tag) => tags.includes(tag));
}

function findReason(
  { conditions }: PolicyDefinition,
  lost: ReadonlyMap<string, UnknownReason>,
): UnknownReason {
  const reasons = conditions.flatMap(({ field }) => lost.get(field) ?? []);
  return reasons[0] ?? 'error';
}

/** The fields of a set whose judged value is unknown, each with the reason. */
export function findLostFields(
  decision: DecisionOnRecord,
  { fields }: PolicySet,
): Map<string, UnknownReason> {
  const submitted = rebuildSubmitted(decision);
  const isScrubbed = hasScrubbed(decision);
  const lost = new Map<string, UnknownReason>();
  for (const field of fields) {
    if (!decision.isSameEngine) lost.set(field, 'engine');
    else if (decision.evaluation.scrubbed.includes(field)) lost.set(field, 'scrubbed');
    else if (!isFieldKept(field, decision, submitted))
      lost.set(field, decision.isErased ? 'erased' : 'unstored');
    else if (isScrubbed && isMarked(field, submitted)) lost.set(field, 'scrubbed');
  }
  return lost;
}

function hasScrubbed({ facts, evaluation }: DecisionOnRecord): boolean {
  return (
    facts === undefined || facts.pii.types.length > 0 || evaluation.tags.includes('SCRUB_LIMIT')
  );
}

/** The markers that scrubbing leaves (docs/reference/scrubbing.md). */
const marker = /\[(?:EMAIL|IBAN|CARD|NATIONAL_ID|PHONE|SECRET|IP_ADDRESS|DATE_OF_BIRTH|REDACTED)\]/;
/** Facts that are recorded unscrubbed. */
const unscrubbed = new Set(['confidenceScore', 'tags', 'time', 'pii', 'agentName', 'principal']);

/** Whether the value of a field, or a member name on its path, may hold a scrubbing marker. */
function isMarked(field: string, submitted: JsonObject): boolean {
  if (unscrubbed.has(field.split('.', 1)[0] ?? '')) return false;
  return listFactSources(field).some((source) => hasMarker(source, submitted));
}

function hasMarker(source: string, submitted: JsonObject): boolean {
  let value: Json | undefined = submitted;
  for (const segment of source.split('.')) {
    if (value === null || typeof value !== 'object') return marker.test(String(value));
    if (Object.keys(value).some((key) => marker.test(key))) return true;
    value = Object.hasOwn(value, segment) ? (value as JsonObject)[segment] : undefined;
    if (value === undefined) return false;
  }
  return marker.test(JSON.stringify(value));
}
