// The `logicalOperators` clause keeps what the expression loses: AND or no operator, and that of the last condition.
import type { Condition, LogicalOperator } from '../definition.ts';
import type { Lexer } from './lexer.ts';
import { SourceError } from './source.ts';

export const LOGICAL_OPERATORS = 'logicalOperators';
/** The condition has no logical operator of its own, which means AND. */
const DEFAULT_WORD = 'default';

type WrittenOperator = LogicalOperator | undefined;

/** The clause; null where the expression suffices: || is OR, && is no operator, and the last condition has none. */
export function printLogicalOperators(conditions: readonly Condition[]): string | null {
  const isImplied = conditions.every(({ logicalOperator }, i) =>
    i === conditions.length - 1 ? logicalOperator === undefined : logicalOperator !== 'AND',
  );
  const writtenOperators = conditions.map(({ logicalOperator }) => logicalOperator ?? DEFAULT_WORD);
  return isImplied ? null : `${LOGICAL_OPERATORS} ${writtenOperators.join(', ')}`;
}

export function parseLogicalOperators(lexer: Lexer): WrittenOperator[] {
  const writtenOperators: WrittenOperator[] = [];
  do {
    const { text } = lexer.lookAhead();
    if (text !== 'AND' && text !== 'OR' && text !== DEFAULT_WORD)
      throw lexer.createUnexpectedError(`AND, OR or ${DEFAULT_WORD}`);
    lexer.takeToken();
    writtenOperators.push(text === DEFAULT_WORD ? undefined : text);
  } while (lexer.takeIf(','));
  return writtenOperators;
}

/** Each condition with its logical operator. @throws SourceError where the clause contradicts the expression */
export function withLogicalOperators(
  {
    conditions,
    operators,
  }: { conditions: readonly Condition[]; operators: readonly LogicalOperator[] },
  clause: { writtenOperators: readonly WrittenOperator[]; at: number } | null,
): Condition[] {
  const writtenOperators =
    clause?.writtenOperators ??
    operators.map((operator) => (operator === 'OR' ? operator : undefined));
  const agrees = operators.every((operator, i) => (writtenOperators[i] ?? 'AND') === operator);
  if (clause !== null && (!agrees || writtenOperators.length !== conditions.length))
    throw new SourceError(
      clause.at,
      `${LOGICAL_OPERATORS} must name one for each condition, as the expression joins it with the next: OR for ||, AND or ${DEFAULT_WORD} for &&`,
    );
  return conditions.map((condition, i) => {
    const logicalOperator = writtenOperators[i];
    return logicalOperator === undefined ? condition : { ...condition, logicalOperator };
  });
}
