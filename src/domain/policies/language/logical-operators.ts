// The `logicalOperators` clause keeps what the expression loses: AND or no operator, and that of the last condition.
import type { Condition, LogicalOperator } from '../definition.ts';
import type { Lexer } from './lexer.ts';
import { SourceError } from './source.ts';

export const LOGICAL_OPERATORS = 'logicalOperators';
/** The condition has no logical operator of its own, which means AND. */
const UNSAID = 'default';

type Said = LogicalOperator | undefined;

/** The clause; null where the expression suffices: || is OR, && is no operator, and the last condition has none. */
export function printLogicalOperators(conditions: readonly Condition[]): string | null {
  const isSaid = conditions.every(({ logicalOperator }, i) =>
    i === conditions.length - 1 ? logicalOperator === undefined : logicalOperator !== 'AND',
  );
  const said = conditions.map(({ logicalOperator }) => logicalOperator ?? UNSAID);
  return isSaid ? null : `${LOGICAL_OPERATORS} ${said.join(', ')}`;
}

export function parseLogicalOperators(lexer: Lexer): Said[] {
  const said: Said[] = [];
  do {
    const { text } = lexer.peek();
    if (text !== 'AND' && text !== 'OR' && text !== UNSAID)
      throw lexer.unexpected(`AND, OR or ${UNSAID}`);
    lexer.take();
    said.push(text === UNSAID ? undefined : text);
  } while (lexer.takeIf(','));
  return said;
}

/** Each condition with its logical operator. @throws SourceError where the clause contradicts the expression */
export function withLogicalOperators(
  {
    conditions,
    operators,
  }: { conditions: readonly Condition[]; operators: readonly LogicalOperator[] },
  clause: { said: readonly Said[]; at: number } | null,
): Condition[] {
  const said =
    clause?.said ?? operators.map((operator) => (operator === 'OR' ? operator : undefined));
  const agrees = operators.every((operator, i) => (said[i] ?? 'AND') === operator);
  if (clause !== null && (!agrees || said.length !== conditions.length))
    throw new SourceError(
      clause.at,
      `${LOGICAL_OPERATORS} must name one for each condition, as the expression joins it with the next: OR for ||, AND or ${UNSAID} for &&`,
    );
  return conditions.map((condition, i) => {
    const logicalOperator = said[i];
    return logicalOperator === undefined ? condition : { ...condition, logicalOperator };
  });
}
