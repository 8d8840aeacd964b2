// Conditions of policies in words: their operators, plain and turned round, and the lists that they name.
import type { components } from '../../api/schema.gen.d.ts';
import { formatValue } from '../text.tsx';

/** Each operator in words, and turned round. */
export const OPERATOR_WORDS = {
  equals: ['is', 'is not'],
  contains: ['contains', 'does not contain'],
  greater_than: ['is greater than', 'is not greater than'],
  at_least: ['is at least', 'is not at least'],
  less_than: ['is less than', 'is not less than'],
  at_most: ['is at most', 'is not at most'],
  in: ['is in', 'is not in'],
  any_in: ['has some of', 'has none of'],
  regex: ['matches', 'does not match'],
} as const;
type Operator = keyof typeof OPERATOR_WORDS;

const isKnown = (operator: string): operator is Operator => Object.hasOwn(OPERATOR_WORDS, operator);

export function describeOperator(operator: string, isNegated: boolean): string {
  if (!isKnown(operator)) return isNegated ? `not ${operator}` : operator;
  return OPERATOR_WORDS[operator][isNegated ? 1 : 0];
}

/** The name of the list that a value refers to; null: it holds the values itself. */
export function readListName(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('list' in value)) return null;
  return typeof value.list === 'string' && Object.keys(value).length === 1 ? value.list : null;
}

const ARGUMENTS = /^arguments\./;

/** A bound on an argument, such as `amount is at most 10`. */
export const describeBound = ({ field, operator, value }: ArgumentBound): string =>
  `${field.replace(ARGUMENTS, '')} ${describeOperator(operator, false)} ${formatValue(value)}`;

export type ArgumentBound = components['schemas']['ArgumentBound'];
