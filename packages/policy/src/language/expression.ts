// Parses and prints the conditions of a policy as a CEL expression, in which && binds tighter than ||.
import type { Json } from '@assay/json';
import {
  policyLimits,
  type Condition,
  type LogicalOperator,
  type Operator,
} from '../definition.ts';
import { readListName } from '../values/lists.ts';
import type { Lexer } from './lexer.ts';
import { parseLiteral, parseTextLiteral } from './literals.ts';
import { type Method, parsePath, printPath } from './paths.ts';
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

function printCondition({ not: isNegated, ...condition }: Condition): string {
  const { field, operator, value } = condition;
  if (isNegated !== true) return printPlain(condition);
  if (operator === 'equals') return `${printPath(field)} != ${JSON.stringify(value)}`;
  return isMethod(operator) ? `!${printPlain(condition)}` : `!(${printPlain(condition)})`;
}

/** Whether it is written behind its field with a dot, so that `!` needs no parentheses. */
const isMethod = (operator: Operator): boolean => [...methodOperators.values()].includes(operator);

function printPlain({ field, operator, value }: Condition): string {
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
    case 'at_least':
      return `${path} >= ${printBound(value)}`;
    case 'at_most':
      return `${path} <= ${printBound(value)}`;
    case 'in':
      return `${path} in ${printListed(value)}`;
    case 'any_in':
      return `${path}.anyIn(${printListed(value)})`;
    case 'regex':
      return `${path}.matches(${printPattern(String(value))})`;
  }
}

function printListed(value: Json): string {
  const name = readListName(value);
  return name === null ? JSON.stringify(value) : `list(${JSON.stringify(name)})`;
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
    if (!this.#lexer.isNext('!')) return this.#plain();
    let isNegated = false;
    while (this.#lexer.takeIf('!')) isNegated = !isNegated;
    const isEnclosed = this.#lexer.isNext('(');
    const chain = this.#plain();
    requireSingle(chain, isEnclosed, at);
    return isNegated ? negate(chain) : chain;
  }

  #plain(): JoinedConditions {
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
    const { operator, value, place, isNegated } =
      method === null ? parseComparison(this.#lexer) : parseCall(this.#lexer, method);
    const condition: Condition = { field, operator, value, ...(isNegated && { not: true }) };
    return { conditions: [condition], places: [{ field: at, value: place }], operators: [] };
  }
}

const comparisons = new Map<string, Operator>([
  ['==', 'equals'],
  ['!=', 'equals'],
  ['>', 'greater_than'],
  ['<', 'less_than'],
  ['>=', 'at_least'],
  ['<=', 'at_most'],
  ['in', 'in'],
]);

const methodOperators = new Map<Method, Operator>([
  ['contains', 'contains'],
  ['matches', 'regex'],
  ['anyIn', 'any_in'],
]);

interface Operation {
  operator: Operator;
  value: Json;
  place: number;
  isNegated?: boolean;
}

function parseComparison(lexer: Lexer): Operation {
  const { text: sign } = lexer.lookAhead();
  const operator = comparisons.get(sign);
  if (operator === undefined)
    throw lexer.createUnexpectedError(
      '==, !=, <, >, <=, >=, in, .contains(...), .matches(...) or .anyIn(...), the operators of a condition',
    );
  lexer.takeToken();
  const place = lexer.lookAhead().at;
  return { operator, value: parseOperand(lexer, operator), place, isNegated: sign === '!=' };
}

function parseOperand(lexer: Lexer, operator: Operator): Json {
  if (operator === 'in') return parseListed(lexer);
  return operator === 'equals' ? parseLiteral(lexer) : parseBound(lexer);
}

/** Values, or `list("name")`. */
function parseListed(lexer: Lexer): Json {
  if (!lexer.takeIf('list')) return parseLiteral(lexer);
  lexer.requireToken('(');
  const list = parseTextLiteral(lexer);
  lexer.requireToken(')');
  return { list };
}

/** CEL reads `!a > 1` as `(!a) > 1`. @throws SourceError for anything but one condition behind `!` */
function requireSingle(
  { conditions: [first, ...others] }: JoinedConditions,
  isEnclosed: boolean,
  at: number,
): void {
  if (others.length > 0)
    throw new SourceError(
      at,
      '! stands before one condition: write !a || !b for !(a && b), and !a && !b for !(a || b)',
    );
  if (!isEnclosed && first && !isMethod(first.operator))
    throw new SourceError(at, 'a comparison behind ! stands in parentheses, as in !(a > 1)');
}

function negate({ conditions, ...rest }: JoinedConditions): JoinedConditions {
  const turned = conditions.map(({ not: wasNegated, ...plain }): Condition =>
    wasNegated === true ? plain : { ...plain, not: true },
  );
  return { conditions: turned, ...rest };
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

function parseCall(lexer: Lexer, method: Method): Operation {
  lexer.requireToken('(');
  const place = lexer.lookAhead().at;
  const value = argumentParsers[method](lexer);
  lexer.requireToken(')');
  return { operator: methodOperators.get(method)!, value, place };
}

const argumentParsers: Readonly<Record<Method, (lexer: Lexer) => Json>> = {
  contains: parseLiteral,
  matches: parseTextLiteral,
  anyIn: parseListed,
};

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
