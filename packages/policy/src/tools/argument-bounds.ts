// Bounds on the arguments of a call: within which a standing grant lets it through.
import type { JsonObject } from '@assay/json';
import { Work, workLimits } from '@assay/patterns';
import { compileCondition } from '../condition.ts';
import { checkCondition, type Condition, type Problem } from '../definition.ts';
import { readPath, splitPath } from '../fields.ts';
import { ARGUMENTS } from './tool.ts';

/** A condition on one argument, by its path such as `arguments.amount`. */
export type ArgumentBound = Pick<Condition, 'field' | 'operator' | 'value'>;

/** Bounds of one grant. */
export const BOUNDS_MAX = 10;

/** The validation errors of bounds. */
export const checkBounds = (bounds: readonly ArgumentBound[]): Problem[] =>
  bounds.flatMap((bound, at) => {
    if (!bound.field.startsWith(ARGUMENTS) || bound.field === ARGUMENTS)
      return [
        {
          path: `[${at}].field`,
          text: 'must be the path of an argument, such as arguments.amount',
        },
      ];
    return checkCondition(bound).map(({ path, text }) => ({ path: `[${at}].${path}`, text }));
  });

/** Whether arguments are within all bounds; what is missing, or cannot be compared, is not. */
export function isWithinBounds(given: JsonObject, bounds: readonly ArgumentBound[]): boolean {
  const work = new Work(workLimits.conditions);
  return bounds.every((bound) => {
    const value = readPath(given, splitPath(bound.field.slice(ARGUMENTS.length)));
    return value !== undefined && compileCondition(bound)(value, work) === true;
  });
}
