// Judges a recorded decision by another set of policies, or gives the reason why the outcome is unknown.
import type { Json, JsonObject } from '../../record/json.ts';
import { Work, workLimits } from '../../work.ts';
import { compilePolicies, type PolicySet } from '../compile.ts';
import type { ActionType, PolicyDefinition } from '../definition.ts';
import { factSourcesOf } from '../facts.ts';
import {
  factsAgain,
  isFieldKept,
  submittedOf,
  type RecordedDecision,
  type RecordedEvaluation,
} from '../replay.ts';

/** Why an outcome is unknown: decision erased, value not stored, value scrubbed, other engine, condition in error. */
export const UNTOLD = ['erased', 'unstored', 'scrubbed', 'engine', 'error'] as const;
export type Untold = (typeof UNTOLD)[number];

type Verdict = 'approved' | 'flagged' | 'blocked';

export type Rejudged =
  /** `verdict` null: it would not have been blocked, but whether it would have been held is unknown. */
  { isBlocked: boolean; verdict: Verdict | null; matched: string[] } | { untold: Untold };

/** A set of policies that is tried on decisions that other sets have judged. */
export interface TriedSet {
  set: PolicySet;
  policies: ReadonlyMap<string, PolicyDefinition>;
}

/** Further members of `evaluation` that a trial reads (docs/formats.md). */
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
  /** The policies that judged it, as `id@revision`. */
  judgedBy: ReadonlySet<string>;
}

export function triedSet(definitions: readonly PolicyDefinition[]): TriedSet {
  const policies = new Map(definitions.map((definition) => [definition.id, definition]));
  return { set: compilePolicies(definitions), policies };
}

/** The name of a policy revision in `judgedBy`. */
export function revisionName({ id, revision }: { id: string; revision: number }): string {
  return `${id}@${revision}`;
}

/** Takes the recorded result of every policy that judged in the same revision, and evaluates the others. */
export function rejudge(decision: DecisionOnRecord, tried: TriedSet): Rejudged {
  const lost = lostFields(decision, tried.set);
  const { matched, undecided } = tried.set.evaluateAgain(
    factsAgain(submittedOf(decision), decision, tried.set.reads),
    new Set(lost.keys()),
    new Work(workLimits.conditions),
  );
  const outcome = { matched: new Set(matched), undecided: new Set(undecided) };
  for (const definition of tried.policies.values()) recall(definition, decision, outcome);
  return verdictOf(decision, tried, { ...outcome, lost });
}

interface Outcome {
  matched: Set<string>;
  undecided: Set<string>;
}

/** Replaces an undecided result by the recorded one, also for a policy that matched because it was in error. */
function recall(
  definition: PolicyDefinition,
  { judgedBy, evaluation }: DecisionOnRecord,
  { matched, undecided }: Outcome,
): void {
  const { id } = definition;
  if (!judgedBy.has(revisionName(definition))) return;
  const recorded = evaluation.matchedPolicies.find((match) => match.id === id);
  if (!undecided.has(id) && recorded?.error == null) return;
  undecided.delete(id);
  if (recorded && recorded.actions.length > 0) matched.add(id);
  else matched.delete(id);
}

function verdictOf(
  { evaluation }: DecisionOnRecord,
  { set, policies }: TriedSet,
  { matched, undecided, lost }: Outcome & { lost: ReadonlyMap<string, Untold> },
): Rejudged {
  const taking = (ids: ReadonlySet<string>, type: ActionType): PolicyDefinition | undefined =>
    [...policies.values()].find(
      ({ id, actions }) => ids.has(id) && actions.some((action) => action.type === type),
    );
  const ids = set.members.map(({ id }) => id).filter((id) => matched.has(id));
  if (blocksAnomaly(evaluation) || taking(matched, 'block'))
    return { isBlocked: true, verdict: 'blocked', matched: ids };
  const blocking = taking(undecided, 'block');
  if (blocking) return { untold: reasonFor(blocking, lost) };
  if (taking(matched, 'flag_for_review'))
    return { isBlocked: false, verdict: 'flagged', matched: ids };
  const isHeld = taking(undecided, 'flag_for_review') !== undefined;
  return { isBlocked: false, verdict: isHeld ? null : 'approved', matched: ids };
}

/** The agent's `autoBlockAnomalies` setting blocks, whatever the policies say. */
function blocksAnomaly({ tags, agentPolicies }: DecisionOnRecord['evaluation']): boolean {
  return agentPolicies?.autoBlockAnomalies === true && tags.includes('ANOMALY');
}

function reasonFor({ conditions }: PolicyDefinition, lost: ReadonlyMap<string, Untold>): Untold {
  const reasons = conditions.flatMap(({ field }) => lost.get(field) ?? []);
  return reasons[0] ?? 'error';
}

/** The fields of a set whose judged value is unknown, each with the reason. */
function lostFields(decision: DecisionOnRecord, { fields }: PolicySet): Map<string, Untold> {
  const submitted = submittedOf(decision);
  const isScrubbed = hasScrubbed(decision);
  const lost = new Map<string, Untold>();
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

/** The markers that scrubbing leaves (docs/scrubbing.md). */
const marker = /\[(?:EMAIL|IBAN|CARD|NATIONAL_ID|PHONE|SECRET|IP_ADDRESS|DATE_OF_BIRTH|REDACTED)\]/;
/** Facts that are recorded unscrubbed. */
const unscrubbed = new Set(['confidenceScore', 'tags', 'time', 'pii', 'agentName']);

/** Whether the value of a field, or a member name on its path, may hold a scrubbing marker. */
function isMarked(field: string, submitted: JsonObject): boolean {
  if (unscrubbed.has(field.split('.', 1)[0] ?? '')) return false;
  return factSourcesOf(field).some((source) => isMarkedAt(source, submitted));
}

function isMarkedAt(source: string, submitted: JsonObject): boolean {
  let value: Json | undefined = submitted;
  for (const segment of source.split('.')) {
    if (value === null || typeof value !== 'object') return marker.test(String(value));
    if (Object.keys(value).some((key) => marker.test(key))) return true;
    value = Object.hasOwn(value, segment) ? (value as JsonObject)[segment] : undefined;
    if (value === undefined) return false;
  }
  return marker.test(JSON.stringify(value));
}
