// A condition as a predicate of the field's value: what each operator means for each JSON type (policies.md).
import type { Json } from '@assay/json';
import {
  compilePattern,
  patternLimits,
  type Pattern,
  PatternTooExpensive,
  createTextSearch,
  SHORT,
  type Work,
} from '@assay/patterns';
import { checkCondition, type Condition } from './definition.ts';
import { parseBounds, compareBounds, mayBeBounds } from './amounts/bounds.ts';
import { parseInstant } from './values/instant.ts';
import { isScalar, type NamedLists, readListedValues, readListName } from './values/lists.ts';

/** Whether the condition holds, or the error that prevented its evaluation. */
export type TestResult = boolean | string;

/** A condition applied to a present value; spends its cost from the work budget of the decision. */
export type ConditionTest = (actual: Json, work: Work) => TestResult;

const OUT_OF_WORK = 'the conditions of this decision took all the work that one decision may cause';
/** Characters compared per step of work: the engine compares and searches texts faster than single characters. */
const COMPARED = 8;

/** Compiles a condition. Never throws: one that is invalid under today's rules is an error for every value. */
export function compileCondition(condition: Condition, lists?: NamedLists): ConditionTest {
  const [problem] = checkCondition(condition);
  if (problem !== undefined) return () => `${problem.path} ${problem.text}`;
  const test = createBoundsTest(condition, createTest(condition, lists));
  return condition.not === true ? createNegatedTest(test) : test;
}

function createBoundsTest(condition: Condition, test: ConditionTest): ConditionTest {
  if (!mayBeBounds(condition.field)) return test;
  return (actual, work) => {
    const bounds = parseBounds(actual);
    return bounds === null ? test(actual, work) : compareBounds(condition, bounds);
  };
}

/** An error stays one. */
function createNegatedTest(test: ConditionTest): ConditionTest {
  return (actual, work) => {
    const result = test(actual, work);
    return typeof result === 'boolean' ? !result : result;
  };
}

function createTest({ operator, value }: Condition, lists?: NamedLists): ConditionTest {
  switch (operator) {
    case 'equals':
      return createEqualTest(value);
    case 'contains':
      return createContainsTest(value);
    case 'greater_than':
      return createComparisonTest(value, (actual, bound) => actual > bound);
    case 'less_than':
      return createComparisonTest(value, (actual, bound) => actual < bound);
    case 'at_least':
      return createComparisonTest(value, (actual, bound) => actual >= bound);
    case 'at_most':
      return createComparisonTest(value, (actual, bound) => actual <= bound);
    case 'in':
    case 'any_in':
      return createListedTest(value, operator, lists);
    case 'regex':
      return createPatternTest(String(value));
  }
}

/** Deep equality of JSON: types must agree, the order of an object's members does not matter. */
export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => isSameJson(item, b[i]!))
    );
  }
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name]!, b[name]!))
  );
}

function createEqualTest(value: Json): ConditionTest {
  return value !== null && typeof value === 'object'
    ? createDeepEqualTest(value)
    : (actual, work) =>
        work.take(typeof actual === 'string' ? actual.length / (4 * COMPARED) : 0)
          ? actual === value
          : OUT_OF_WORK;
}

function createDeepEqualTest(value: Json): ConditionTest {
  const length = JSON.stringify(value).length;
  return (actual, work) => (work.take(length / COMPARED) ? isSameJson(actual, value) : OUT_OF_WORK);
}

function createContainsTest(value: Json): ConditionTest {
  const isPart = createTextSearch(String(value));
  const perStep = String(value).length > SHORT ? 1 : COMPARED;
  return (actual, work) => {
    if (typeof actual !== 'string' && !Array.isArray(actual)) return false;
    if (!work.take(actual.length / perStep)) return OUT_OF_WORK;
    if (typeof actual === 'string') return typeof value === 'string' && isPart(actual);
    return actual.includes(value);
  };
}

function createComparisonTest(
  value: Json,
  holds: (actual: number, bound: number) => boolean,
): ConditionTest {
  if (typeof value === 'number')
    return (actual) => typeof actual === 'number' && holds(actual, value);
  const bound = parseInstant(String(value)) ?? NaN;
  return (actual) => typeof actual === 'string' && holds(parseInstant(actual) ?? NaN, bound);
}

/** A list takes a step for each item, which is looked up by its hash, whatever the number of values. */
function createListedTest(
  value: Json,
  operator: 'in' | 'any_in',
  lists: NamedLists | undefined,
): ConditionTest {
  const values = readListedValues(value, lists);
  if (values === null) return () => `there is no list ${JSON.stringify(readListName(value))}`;
  const isListed = (item: Json): boolean => isScalar(item) && values.has(item);
  return (actual, work) => {
    const items = Array.isArray(actual) ? actual : [actual];
    if (!work.take(items.length + countCharacters(items) / COMPARED)) return OUT_OF_WORK;
    return operator === 'in' ? items.every(isListed) : items.some(isListed);
  };
}

function countCharacters(items: readonly Json[]): number {
  return items.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0);
}

function createPatternTest(source: string): ConditionTest {
  const result = compilePattern(source);
  if ('problem' in result) return () => `value ${result.problem}`;
  const { pattern } = result;
  return (actual, work) => {
    if (typeof actual === 'string') return searchTexts(pattern, [actual], work);
    if (!Array.isArray(actual)) return false;
    if (!work.take(actual.length / COMPARED)) return OUT_OF_WORK;
    const texts = actual.filter((item) => typeof item === 'string');
    return searchTexts(pattern, texts, work);
  };
}

function searchTexts(pattern: Pattern, texts: string[], work: Work): TestResult {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters * pattern.instructions > patternLimits.work) {
    return `text of ${characters} characters is too long for a pattern of ${pattern.instructions} instructions`;
  }
  try {
    return pattern.hasMatch(texts, work);
  } catch (error) {
    return error instanceof PatternTooExpensive
      ? OUT_OF_WORK
      : 'the pattern could not be searched for';
  }
}
