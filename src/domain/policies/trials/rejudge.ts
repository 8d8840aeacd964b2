// What another set of policies would have made of a recorded decision, or why that cannot be told.
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

/** Why it cannot be told: the decision was erased; a value was not kept, or is known only as scrubbing left it; another engine judged; a condition is in error. */
export const UNTOLD = ['erased', 'unstored', 'scrubbed', 'engine', 'error'] as const;
export type Untold = (typeof UNTOLD)[number];

type Verdict = 'approved' | 'flagged' | 'blocked';

export type Rejudged =
  /** `verdict` null: whether it would have been held cannot be told, but it would not have been blocked. */
  { isBlocked: boolean; verdict: Verdict | null; matched: string[] } | { untold: Untold };

/** A set of policies that is tried on what other sets have judged. */
export interface TriedSet {
  set: PolicySet;
  policies: ReadonlyMap<string, PolicyDefinition>;
}

/** What is needed of `evaluation` besides (docs/formats.md). */
interface JudgedEvaluation extends RecordedEvaluation {
  matchedPolicies: { id: string; actions: readonly ActionType[]; error: string | null }[];
  agentPolicies?: { autoBlockAnomalies?: boolean };
}

/** How a decision was judged on its day. */
export interface DecisionOnRecord extends RecordedDecision {
  evaluation: JudgedEvaluation;
  /** Whether values of it were erased since: score and tags stay. */
  isErased: boolean;
  /** Whether the engine of today is the one that judged. */
  isSameEngine: boolean;
  /** The policies of its day, as `id@revision`. */
  judgedBy: ReadonlySet<string>;
}

export function triedSet(definitions: readonly PolicyDefinition[]): TriedSet {
  const policies = new Map(definitions.map((definition) => [definition.id, definition]));
  return { set: compilePolicies(definitions), policies };
}

/** How a policy is named among those that judged a decision. */
export function revisionName({ id, revision }: { id: string; revision: number }): string {
  return `${id}@${revision}`;
}

/** What a policy that judged the decision in the very same revision made of it is on record; the others are evaluated. */
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

/** Takes what is on record over what cannot be evaluated again, also of a policy that counted as a match because it was in error. */
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

/** The agent's own setting blocks, whatever the policies say. */
function blocksAnomaly({ tags, agentPolicies }: DecisionOnRecord['evaluation']): boolean {
  return agentPolicies?.autoBlockAnomalies === true && tags.includes('ANOMALY');
}

function reasonFor({ conditions }: PolicyDefinition, lost: ReadonlyMap<string, Untold>): Untold {
  const reasons = conditions.flatMap(({ field }) => lost.get(field) ?? []);
  return reasons[0] ?? 'error';
}

/** The fields of a set of which the value that was judged is not known. */
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

/** What scrubbing leaves (docs/scrubbing.md). */
const marker = /\[(?:EMAIL|IBAN|CARD|NATIONAL_ID|PHONE|SECRET|IP_ADDRESS|DATE_OF_BIRTH|REDACTED)\]/;
/** Facts that are recorded as they were. */
const unscrubbed = new Set(['confidenceScore', 'tags', 'time', 'pii', 'agentName']);

/** Whether what a field reads, or the name of a member on the way there, may be what scrubbing left. */
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
