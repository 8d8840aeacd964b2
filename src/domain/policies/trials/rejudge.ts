// Judges a recorded decision by another set of policies, or gives the reason why the outcome is unknown.
import type { Json, JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import {
  compilePolicies,
  type PolicySet,
  type Action,
  type ActionType,
  type PolicyDefinition,
  listFactSources,
  rebuildFacts,
  isFieldKept,
  joinReaches,
  rebuildSubmitted,
  type RecordedDecision,
  type RecordedEvaluation,
  GRANT_TAG,
  HALT_TAG,
  readHalt,
  readLimit,
  toCacheKey,
} from '@assay/policy';

/** Why an outcome is unknown: decision erased, value not stored, value scrubbed, other engine, condition in error. */
export const UNKNOWN_REASONS = ['erased', 'unstored', 'scrubbed', 'engine', 'error'] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

type Verdict = 'approved' | 'flagged' | 'blocked';

export type Rejudged =
  /**
   * `verdict` null: it would not have been blocked, but whether it would have been held is unknown. `isHalting`: a
   * policy would halt its agent or session as well.
   */
  | { isBlocked: boolean; verdict: Verdict | null; matched: string[]; isHalting: boolean }
  | { untold: UnknownReason };

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
  const outcome: Outcome = { acting: new Map(), undecided: new Set(undecided) };
  for (const id of matched) keepActing(outcome, id, listUnlimited(tried.policies.get(id)));
  for (const definition of tried.policies.values()) applyRecorded(definition, decision, outcome);
  return deriveVerdict(decision, tried, { ...outcome, lost });
}

/** The policy that decides of those that match, as the answer to a decision names it; null: none blocks or holds. */
export function findDeciding(
  { verdict, matched }: Extract<Rejudged, { verdict: unknown }>,
  { policies }: TriedSet,
): string | null {
  const type = verdict === 'blocked' ? 'block' : 'flag_for_review';
  if (verdict !== 'blocked' && verdict !== 'flagged') return null;
  return matched.find((id) => hasType(policies.get(id)?.actions ?? [], type)) ?? null;
}

interface Outcome {
  /** The actions that count of the policies that match, by policy. */
  acting: Map<string, readonly Action[]>;
  undecided: Set<string>;
}

function keepActing({ acting }: Outcome, id: string, actions: readonly Action[]): void {
  if (actions.length > 0) acting.set(id, actions);
  else acting.delete(id);
}

/** One decision does not say whether a limit would be passed: it counts as not reached. */
const listUnlimited = (policy: PolicyDefinition | undefined): Action[] =>
  policy?.actions.filter((action) => readLimit(action) === null) ?? [];

/**
 * Replaces an undecided result by the recorded one, also for a policy that matched because it was in error. Of one that
 * matches those actions count that did on its day: its limits may have been passed.
 */
function applyRecorded(
  { id, ...definition }: PolicyDefinition,
  { judgedBy, evaluation }: DecisionOnRecord,
  outcome: Outcome,
): void {
  if (!judgedBy.has(toCacheKey({ id, ...definition }))) return;
  const recorded = evaluation.matchedPolicies.find((match) => match.id === id);
  if (!outcome.undecided.delete(id) && !recorded) return;
  const counted = definition.actions.filter(({ type }) => recorded?.actions.includes(type));
  keepActing(outcome, id, counted);
}

const hasType = (actions: readonly Action[], type: ActionType): boolean =>
  actions.some((action) => action.type === type);

function deriveVerdict(
  { evaluation }: DecisionOnRecord,
  { set, policies }: TriedSet,
  { acting, undecided, lost }: Outcome & { lost: ReadonlyMap<string, UnknownReason> },
): Rejudged {
  const counted = [...acting.values()].flat();
  const matched = set.members.map(({ id }) => id).filter((id) => acting.has(id));
  const found = { matched, isHalting: joinReaches(counted.map(readHalt)) !== null };
  if (isBlockedByAgent(evaluation) || hasType(counted, 'block'))
    return { isBlocked: true, verdict: 'blocked', ...found };
  const open = [...undecided].flatMap((id) => policies.get(id) ?? []);
  const blocking = open.find((policy) => hasType(listUnlimited(policy), 'block'));
  if (blocking) return { untold: findReason(blocking, lost) };
  return { isBlocked: false, verdict: findPassing(counted, open), ...found };
}

/** The verdict on what nothing blocks; null: whether it would have been held is unknown. */
function findPassing(
  counted: readonly Action[],
  open: readonly PolicyDefinition[],
): Verdict | null {
  if (hasType(counted, 'flag_for_review')) return 'flagged';
  const mayHold = open.some((policy) => hasType(listUnlimited(policy), 'flag_for_review'));
  return mayHold ? null : 'approved';
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
