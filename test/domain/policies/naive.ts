// A naive interpreter of the rules in policies.md, one condition after another, to compare the compiled set with.
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import { compilePattern, patternLimits, Work, workLimits } from '@assay/patterns';
import { actionTypes, type Condition, type PolicyDefinition, parseInstant } from '@assay/policy';

/** The result on which both engines must agree. */
export interface NaiveVerdict {
  action: string;
  decidedBy: string | null;
  matched: { id: string; error: string | null }[];
  failed: { id: string; error: string }[];
}

type Truth = 'true' | 'false' | 'unknown';
interface Outcome {
  truth: Truth;
  error: string | null;
}

export function interpret(
  definitions: readonly PolicyDefinition[],
  facts: JsonObject,
): NaiveVerdict {
  const verdict: NaiveVerdict = { action: 'approve', decidedBy: null, matched: [], failed: [] };
  const ordered = [...definitions].sort(
    (a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1),
  );
  const matching: PolicyDefinition[] = [];
  for (const definition of ordered) {
    const { truth, error } = judge(definition, facts);
    if (truth === 'false') continue;
    const restricting = definition.actions.some(
      ({ type }) => type === 'block' || type === 'flag_for_review',
    );
    if (error !== null && !restricting) {
      verdict.failed.push({ id: definition.id, error });
      continue;
    }
    matching.push(definition);
    verdict.matched.push({ id: definition.id, error });
  }
  for (const type of actionTypes) {
    const decider = matching.find(({ actions }) => actions.some((action) => action.type === type));
    if (decider !== undefined) return { ...verdict, action: type, decidedBy: decider.id };
  }
  return verdict;
}

function judge({ conditions, lists }: PolicyDefinition, facts: JsonObject): Outcome {
  let truth: Truth = 'true';
  for (const [i, condition] of conditions.entries()) {
    const join = i === 0 ? 'AND' : (conditions[i - 1]?.logicalOperator ?? 'AND');
    if (truth === (join === 'AND' ? 'false' : 'true')) continue;
    const next = holds(condition, facts, lists).truth;
    truth = join === 'AND' ? and(truth, next) : or(truth, next);
  }
  if (truth !== 'unknown') return plain(truth === 'true');
  const errors = conditions.map((condition) => holds(condition, facts, lists).error);
  return { truth, error: errors.find((error) => error !== null) ?? null };
}

function and(a: Truth, b: Truth): Truth {
  if (a === 'false' || b === 'false') return 'false';
  return a === 'unknown' || b === 'unknown' ? 'unknown' : 'true';
}

function or(a: Truth, b: Truth): Truth {
  if (a === 'true' || b === 'true') return 'true';
  return a === 'unknown' || b === 'unknown' ? 'unknown' : 'false';
}

function holds(
  { not: isNegated, ...condition }: Condition,
  facts: JsonObject,
  lists: PolicyDefinition['lists'],
): Outcome {
  const { truth, error } = holdsPlainly(condition, facts, lists);
  if (isNegated !== true || truth === 'unknown') return { truth, error };
  return plain(truth === 'false');
}

function holdsPlainly(
  { field, operator, value }: Condition,
  facts: JsonObject,
  lists: PolicyDefinition['lists'],
): Outcome {
  let actual: Json | undefined = facts;
  for (const segment of field.split('.')) {
    if (Array.isArray(actual))
      actual =
        /^\d+$/.test(segment) && String(Number(segment)) === segment
          ? actual[Number(segment)]
          : undefined;
    else if (typeof actual === 'object' && actual !== null && Object.keys(actual).includes(segment))
      actual = actual[segment];
    else actual = undefined;
  }
  if (actual === undefined) return plain(false);
  if (operator === 'equals') return plain(equal(actual, value));
  if (operator === 'contains') return plain(contains(actual, value));
  if (operator === 'regex') return matches(actual, String(value));
  if (operator === 'in' || operator === 'any_in')
    return isListed({ operator, value }, actual, lists);
  const sign = operator === 'greater_than' || operator === 'at_least' ? 1 : -1;
  const isInclusive = operator === 'at_least' || operator === 'at_most';
  if (typeof actual === 'number' && typeof value === 'number')
    return plain(sign * (actual - value) > 0 || (isInclusive && actual === value));
  if (typeof actual !== 'string' || typeof value !== 'string') return plain(false);
  const [left, right] = [parseInstant(actual), parseInstant(value)];
  if (left === null || right === null) return plain(false);
  return plain(sign * (left - right) > 0 || (isInclusive && left === right));
}

function isListed(
  { operator, value }: Pick<Condition, 'operator' | 'value'>,
  actual: Json,
  lists: PolicyDefinition['lists'],
): Outcome {
  const name = Array.isArray(value) ? null : (value as { list: string }).list;
  const values = name === null ? (value as Json[]) : lists?.[name]?.values;
  if (values === undefined)
    return { truth: 'unknown', error: `there is no list ${JSON.stringify(name)}` };
  const known = [...values];
  const items = Array.isArray(actual) ? actual : [actual];
  const outside = items.filter((item) => !known.some((one) => one === item));
  return plain(operator === 'in' ? outside.length === 0 : outside.length < items.length);
}

function equal(a: Json, b: Json): boolean {
  const nested = typeof a === 'object' && typeof b === 'object';
  return nested ? canonicalize(a) === canonicalize(b) : a === b;
}

function contains(actual: Json, value: Json): boolean {
  if (Array.isArray(actual)) return actual.some((item) => equal(item, value));
  return typeof actual === 'string' && typeof value === 'string' && actual.includes(value);
}

function matches(actual: Json, source: string): Outcome {
  const result = compilePattern(source);
  if ('problem' in result) return { truth: 'unknown', error: `value ${result.problem}` };
  const texts = (Array.isArray(actual) ? actual : [actual]).filter(
    (item) => typeof item === 'string',
  );
  const { instructions, hasMatch } = result.pattern;
  const length = texts.join('').length;
  if (length * instructions > patternLimits.work) {
    return {
      truth: 'unknown',
      error: `text of ${length} characters is too long for a pattern of ${instructions} instructions`,
    };
  }
  return plain(hasMatch(texts, new Work(workLimits.conditions)));
}

function plain(truth: boolean): Outcome {
  return { truth: truth ? 'true' : 'false', error: null };
}
