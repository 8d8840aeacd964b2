// Parses and prints the conditions of a policy as a CEL expression, in which && binds tighter than ||.
import type { Json } from '@assay/json';
import {
  policyLimits,
  type Condition,
  type LogicalOperator,
  type Operator,
} from '../definition.ts';
import type { Lexer } from './lexer.ts';
import { parseLiteral, parseTextLiteral } from './literals.ts';
import { parsePath, printPath } from './paths.ts';
import { SourceError, sourceLimits } from './source.ts';

/** The offsets of a condition in its source. */
export interface ConditionPlace {
  field: number;
  value: number;
}

/** Conditions from left to right; each operator joins what is before it with the condition after it. */
export interface JoinedConditions {
  conditions: Condition[];
  places: ConditionPlace[];
  operators: LogicalOperator[];
}

const symbols = { AND: '&&', OR: '||' } as const;

/** Prints conditions so that CEL reads them alike: `(a || b) && c` where `a || b && c` would mean something else. */
export function printExpression(conditions: readonly Condition[]): string {
  let text = '';
  let last: LogicalOperator | null = null;
  for (const [i, condition] of conditions.entries()) {
    const operator = conditions[i - 1]?.logicalOperator ?? 'AND';
    if (last === 'OR' && operator === 'AND') text = `(${text})`;
    text =
      i === 0
        ? printCondition(condition)
        : `${text} ${symbols[operator]}\n  ${printCondition(condition)}`;
    if (i > 0) last = operator;
  }
  return text;
}

function printCondition({ field, operator, value }: Condition): string {
  const path = printPath(field);
  switch (operator) {
    case 'equals':
      return `${path} == ${JSON.stringify(value)}`;
    case 'contains':
      return `${path}.contains(${JSON.stringify(value)})`;
    case 'greater_than':
      return `${path} > ${printBound(value)}`;
    case 'less_than':
      return `${path} < ${printBound(value)}`;
    case 'regex':
      return `${path}.matches(${printPattern(String(value))})`;
  }
}

function printBound(value: Json): string {
  const text = JSON.stringify(value);
  return typeof value === 'string' ? `timestamp(${text})` : text;
}

/** Prints a raw text, without escapes, where that means the same. */
function printPattern(pattern: string): string {
  return /^[^"\p{Cc}]*\\[^"\p{Cc}]*$/u.test(pattern) ? `r"${pattern}"` : JSON.stringify(pattern);
}

/** Parses the expression at the lexer. @throws SourceError also when left-to-right conditions cannot express it */
export function parseExpression(lexer: Lexer): JoinedConditions {
  return new ExpressionParser(lexer).parseDisjunction();
}

class ExpressionParser {
  readonly #lexer: Lexer;
  #conditions = 0;
  #open = 0;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  parseDisjunction(): JoinedConditions {
    return this.#joined('OR', () => this.#joined('AND', () => this.#operand()));
  }

  #joined(operator: LogicalOperator, operand: () => JoinedConditions): JoinedConditions {
    let chain = operand();
    for (;;) {
      const { at } = this.#lexer.lookAhead();
      if (!this.#lexer.takeIf(symbols[operator])) return chain;
      chain = joinConditions(chain, operator, operand(), at);
    }
  }

  #operand(): JoinedConditions {
    const { at } = this.#lexer.lookAhead();
    if (!this.#lexer.takeIf('(')) return this.#condition();
    if (++this.#open > sourceLimits.parentheses)
      throw new SourceError(
        at,
        `more than ${sourceLimits.parentheses} parentheses within one another`,
      );
    const chain = this.parseDisjunction();
    this.#lexer.requireToken(')');
    this.#open--;
    return chain;
  }

  #condition(): JoinedConditions {
    const { at } = this.#lexer.lookAhead();
    if (++this.#conditions > policyLimits.conditions)
      throw new SourceError(at, `more than ${policyLimits.conditions} conditions`);
    const { field, method } = parsePath(this.#lexer);
    const { operator, value, place } =
      method === null ? parseComparison(this.#lexer) : parseCall(this.#lexer, method);
    const condition: Condition = { field, operator, value };
    return { conditions: [condition], places: [{ field: at, value: place }], operators: [] };
  }
}

const comparisons = new Map<string, Operator>([
  ['==', 'equals'],
  ['>', 'greater_than'],
  ['<', 'less_than'],
]);

interface Operation {
  operator: Operator;
  value: Json;
  place: number;
}

function parseComparison(lexer: Lexer): Operation {
  const operator = comparisons.get(lexer.lookAhead().text);
  if (operator === undefined)
    throw lexer.createUnexpectedError(
      '==, <, >, .contains(...) or .matches(...), the operators of a condition',
    );
  lexer.takeToken();
  const place = lexer.lookAhead().at;
  const value = operator === 'equals' ? parseLiteral(lexer) : parseBound(lexer);
  return { operator, value, place };
}

function parseBound(lexer: Lexer): Json {
  if (lexer.lookAhead().kind === 'text')
    throw lexer.createUnexpectedError('a number, or a date as timestamp("2026-01-31")');
  if (!lexer.takeIf('timestamp')) return parseLiteral(lexer);
  lexer.requireToken('(');
  const value = parseTextLiteral(lexer);
  lexer.requireToken(')');
  return value;
}

function parseCall(lexer: Lexer, method: 'contains' | 'matches'): Operation {
  lexer.requireToken('(');
  const place = lexer.lookAhead().at;
  const operation: Operation =
    method === 'contains'
      ? { operator: 'contains', value: parseLiteral(lexer), place }
      : { operator: 'regex', value: parseTextLiteral(lexer), place };
  lexer.requireToken(')');
  return operation;
}

/** Joins two chains; `after` must be one condition, or a group joined by the same operator. */
function joinConditions(
  before: JoinedConditions,
  operator: LogicalOperator,
  after: JoinedConditions,
  at: number,
): JoinedConditions {
  if (after.operators.some((inner) => inner !== operator))
    throw new SourceError(
      at,
      `conditions are read from left to right, so only a condition can follow ${symbols[operator]} here: put the group before it, as in (a && b) || c`,
    );
  return {
    conditions: [...before.conditions, ...after.conditions],
    places: [...before.places, ...after.places],
    operators: [...before.operators, operator, ...after.operators],
  };
}
