// Explains a recorded judgement: each policy that judged, each of its conditions, and the value that it saw.
import { truncate, type JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import {
  readPath,
  splitPath,
  type Condition,
  type PolicyDefinition,
  compilePolicy,
  type CompiledCondition,
  rebuildFacts,
  rebuildSubmitted,
} from '@assay/policy';
import {
  compileTriedSet,
  type DecisionOnRecord,
  findLostFields,
  type UnknownReason,
} from './rejudge.ts';

/** The result of one condition, independent of the others. */
export interface ConditionFinding {
  condition: Condition;
  matched: boolean;
  /** Why it could not be evaluated; null when it could. */
  error: string | null;
  /** What the field held, as JSON of at most 200 characters; null: nothing. */
  actual: string | null;
}

/** Likewise for a recorded decision. */
export interface RecordedFinding extends Omit<ConditionFinding, 'matched'> {
  /** Null: the value that it saw is no longer known. */
  matched: boolean | null;
  unknownBecause: UnknownReason | null;
}

/** `within_limit`: its conditions held, and no limit of it was passed. */
export const MATCH_OUTCOMES = ['acted', 'observed', 'within_limit'] as const;
export type MatchOutcome = (typeof MATCH_OUTCOMES)[number];

export interface ExplainedPolicy {
  id: string;
  revision: number;
  name: string;
  /** Whether it matched on its day. */
  matched: boolean;
  /** What came of its match; null: of none. */
  outcome: MatchOutcome | null;
  /** Why it could not be evaluated on its day; null when it could. */
  error: string | null;
  explanation: RecordedFinding[];
}

const ACTUAL_CHARACTERS = 200;

/** Tests every condition of a policy; `work` is what may be spent on it. */
export function explainConditions(
  definition: PolicyDefinition,
  facts: JsonObject,
  work = new Work(workLimits.conditions),
): ConditionFinding[] {
  return compilePolicy(definition).conditions.map((compiled, i) => {
    const finding = testCondition(compiled, facts, work);
    const held = readPath(facts, splitPath(compiled.field));
    const isEvaluated = typeof finding === 'boolean';
    return {
      condition: definition.conditions[i] as Condition,
      matched: isEvaluated && finding,
      error: isEvaluated ? null : finding,
      actual: held === undefined ? null : truncate(JSON.stringify(held), ACTUAL_CHARACTERS),
    };
  });
}

function testCondition(
  { field, test, not: isNegated }: CompiledCondition,
  facts: JsonObject,
  work: Work,
): boolean | string {
  const actual = readPath(facts, splitPath(field));
  return actual === undefined ? isNegated === true : test(actual, work);
}

/** Explains what the given policies made of a decision. All of them share the work of one decision. */
export function explainDecision(
  decision: DecisionOnRecord,
  definitions: readonly PolicyDefinition[],
): ExplainedPolicy[] {
  const { set } = compileTriedSet(definitions);
  const lost = findLostFields(decision, set);
  const facts = rebuildFacts(rebuildSubmitted(decision), decision, set.reads);
  const work = new Work(workLimits.conditions);
  const recorded = readMatches(decision);
  return definitions.map((definition) => {
    const { id, revision, name } = definition;
    const match = recorded.get(id);
    const explanation = explainConditions(definition, facts, work).map((finding) =>
      withholdLost(finding, lost),
    );
    const { matched = false, outcome = null, error = null } = match ?? {};
    return { id, revision, name, matched, outcome, error, explanation };
  });
}

type Match = DecisionOnRecord['evaluation']['matchedPolicies'][number];
type ReadMatch = Pick<ExplainedPolicy, 'matched' | 'outcome' | 'error'>;

/** What is on record of each policy that matched, observed or failed, by its id. */
function readMatches({ evaluation, facts }: DecisionOnRecord): ReadonlyMap<string, ReadMatch> {
  const toRead = (match: Match, isObserved: boolean): [string, ReadMatch] => {
    const matched = match.actions.length > 0;
    return [match.id, { matched, outcome: findOutcome(match, isObserved), error: match.error }];
  };
  return new Map([
    ...evaluation.matchedPolicies.map((match) => toRead(match, false)),
    ...(facts?.observed ?? []).map((match) => toRead(match, true)),
  ]);
}

function findOutcome({ actions, error }: Match, isObserved: boolean): MatchOutcome | null {
  if (actions.length > 0) return isObserved ? 'observed' : 'acted';
  // One that could not be evaluated has no action either.
  return error === null ? 'within_limit' : null;
}

/** A value that is not the one that was seen says nothing. */
function withholdLost(
  finding: ConditionFinding,
  lost: ReadonlyMap<string, UnknownReason>,
): RecordedFinding {
  const reason = lost.get(finding.condition.field) ?? null;
  return reason === null
    ? { ...finding, unknownBecause: null }
    : { ...finding, matched: null, error: null, actual: null, unknownBecause: reason };
}
