// The definition of a policy, and the validation of its conditions and actions (document 2, resource Policy).
import type { Json, JsonObject } from '@assay/json';
import {
  estimateClassCost,
  compilePattern,
  patternLimits,
  TOO_MANY_CLASSES,
} from '@assay/patterns';
import { findApprovalsProblem } from './review/approvals.ts';
import { findGrantableProblem } from './review/grantable.ts';
import { findExpiryProblem } from './review/review-expiry.ts';
import { findEffectProblem } from './actions/effects.ts';
import { fieldLimits, findFieldProblem } from './fields.ts';
import { findHaltProblem } from './actions/halts.ts';
import { findLimitProblem } from './limits.ts';
import { parseInstant } from './values/instant.ts';
import { findListedProblem, isScalar, type NamedLists } from './values/lists.ts';

export const operators = [
  'equals',
  'contains',
  'greater_than',
  'less_than',
  'regex',
  'at_least',
  'at_most',
  'in',
  'any_in',
] as const;
export type Operator = (typeof operators)[number];

/** Ordered by precedence between all actions of all matched policies, strongest first. */
export const actionTypes = ['block', 'flag_for_review', 'notify', 'approve'] as const;
export type ActionType = (typeof actionTypes)[number];

export const logicalOperators = ['AND', 'OR'] as const;
export type LogicalOperator = (typeof logicalOperators)[number];

/** `logicalOperator` joins this condition with the next one (default AND); the last condition's has no effect. */
export type Condition = {
  field: string;
  operator: Operator;
  value: Json;
  /** Holds where the rest does not; what cannot be evaluated stays so. */
  not?: true;
  logicalOperator?: LogicalOperator;
};

/** `config.reason`, when it is a string, is the reason given with the verdict; other members depend on the type. */
export type Action = { type: ActionType; config?: JsonObject };

/** One immutable revision of an enabled policy. Without conditions it matches every decision. */
export type PolicyDefinition = {
  id: string;
  revision: number;
  name: string;
  description: string;
  /** Lower is evaluated first. */
  priority: number;
  conditions: Condition[];
  actions: Action[];
  /** The lists that its conditions name; absent where they name none. */
  lists?: NamedLists | undefined;
  /** It judges beside the others and changes no verdict. */
  observe?: boolean | undefined;
};

/** A validation error: the path (`conditions[2].value`) and a text that continues it. */
export interface Problem {
  path: string;
  text: string;
}

/** Counts, and lengths in characters; `json` is for the JSON text of a value or a config. */
export const policyLimits = {
  conditions: 50,
  actions: 10,
  ...fieldLimits,
  json: 10_000,
} as const;

/** All validation errors of these conditions and actions. */
export function checkPolicy(
  conditions: readonly Condition[],
  actions: readonly Action[],
): Problem[] {
  const problems = [
    ...checkCount('conditions', conditions.length, 0),
    ...checkCount('actions', actions.length, 1),
  ];
  if (problems.length > 0) return problems;
  return [
    ...checkConditions(conditions),
    ...actions.flatMap((action, i) => prependPath(`actions[${i}]`, checkAction(action))),
  ];
}

/** Compiles patterns up to the first that is refused, so that a refusal never costs more than an acceptance. */
function checkConditions(conditions: readonly Condition[]): Problem[] {
  const problems: Problem[] = [];
  let isCompiling = true;
  let classes = 0;
  let instructions = 0;
  for (const [i, condition] of conditions.entries()) {
    const isPattern = condition.operator === 'regex';
    if (isPattern && !isCompiling) continue;
    if (isPattern) classes += estimateClassCost(String(condition.value));
    const found =
      classes > patternLimits.classes
        ? [{ path: 'value', text: `${TOO_MANY_CLASSES}, with the conditions before it` }]
        : checkCondition(condition);
    if (isPattern && found.length === 0) {
      instructions += countInstructions(condition.value);
      if (instructions > patternLimits.together)
        found.push({ path: 'value', text: TOO_LARGE_TOGETHER });
    }
    if (isPattern && found.length > 0) isCompiling = false;
    problems.push(...prependPath(`conditions[${i}]`, found));
  }
  return problems;
}

const TOO_LARGE_TOGETHER = `compiles to more than ${patternLimits.together} instructions, with the conditions before it; use fewer or smaller patterns`;

/** The instructions of a valid pattern, which is in the cache of compiled ones. */
function countInstructions(source: Json): number {
  const result = compilePattern(String(source));
  return 'pattern' in result ? result.pattern.instructions : 0;
}

/** The validation errors of one condition, with the paths `field` and `value`. */
export function checkCondition(condition: Condition): Problem[] {
  const found: [string, string | null][] = [
    ['field', findFieldProblem(condition.field)],
    [
      'value',
      findSizeProblem(condition.value) ?? valueProblems[condition.operator](condition.value),
    ],
  ];
  return found.flatMap(([path, text]) => (text === null ? [] : [{ path, text }]));
}

function checkAction({ type, config }: Action): Problem[] {
  const text = config === undefined ? null : findConfigProblem(type, config);
  return text === null ? [] : [{ path: 'config', text }];
}

function findConfigProblem(type: ActionType, config: JsonObject): string | null {
  return (
    findSizeProblem(config) ??
    findEffectProblem(config) ??
    findLimitProblem(type, config) ??
    findHaltProblem(type, config) ??
    (type === 'flag_for_review'
      ? (findExpiryProblem(config) ?? findApprovalsProblem(config) ?? findGrantableProblem(config))
      : null)
  );
}

function checkCount(path: 'conditions' | 'actions', count: number, minimum: number): Problem[] {
  const maximum = policyLimits[path];
  return count >= minimum && count <= maximum
    ? []
    : [{ path, text: `must have ${minimum} to ${maximum} items` }];
}

function prependPath(prefix: string, problems: Problem[]): Problem[] {
  return problems.map(({ path, text }) => ({ path: `${prefix}.${path}`, text }));
}

function findSizeProblem(value: Json): string | null {
  return JSON.stringify(value).length > policyLimits.json
    ? `must have at most ${policyLimits.json} characters as JSON`
    : null;
}

const valueProblems: Record<Operator, (value: Json) => string | null> = {
  equals: () => null,
  contains: (value) => {
    if (value === '') return 'must not be empty';
    return isScalar(value) ? null : 'must be a string, a number or a boolean for contains';
  },
  greater_than: findComparisonProblem,
  less_than: findComparisonProblem,
  at_least: findComparisonProblem,
  at_most: findComparisonProblem,
  in: findListedProblem,
  any_in: findListedProblem,
  regex: (value) => {
    if (typeof value !== 'string') return 'must be a string for regex';
    const result = compilePattern(value);
    return 'problem' in result ? result.problem : null;
  },
};

function findComparisonProblem(value: Json): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return null;
  if (typeof value === 'string' && parseInstant(value) !== null) return null;
  return 'must be a finite number, a date (2026-01-31) or a date-time with offset (2026-01-31T09:00:00Z)';
}
