// An amount as a number, or as the bounds between which it lies when its spelling is ambiguous.
import type { Json } from '@assay/json';
import type { Condition } from '../definition.ts';

/** `atMost` is infinite when nothing could be read. */
export interface Bounds {
  atLeast: number;
  atMost: number;
}

export const UNREADABLE: Bounds = { atLeast: 0, atMost: Infinity };

/** The facts that may be bounds. */
const amountFields = new Set(['action.largestAmount', 'action.totalAmount']);

export function mayBeBounds(field: string): boolean {
  return amountFields.has(field);
}

/** A number where it is certain, else `{ atLeast, atMost }`, in which null stands for no bound. */
export function toAmountFact({ atLeast, atMost }: Bounds): Json {
  if (atLeast === atMost) return atLeast;
  return { atLeast, atMost: Number.isFinite(atMost) ? atMost : null };
}

/** The bounds that a fact holds; null for a number and any other value. */
export function parseBounds(fact: Json): Bounds | null {
  if (fact === null || typeof fact !== 'object' || Array.isArray(fact)) return null;
  const { atLeast, atMost } = fact;
  if (typeof atLeast !== 'number' || (typeof atMost !== 'number' && atMost !== null)) return null;
  return { atLeast, atMost: atMost ?? Infinity };
}

/** Whether a condition holds for every amount within the bounds, or for none of them; an error when it depends. */
export function compareBounds(
  { operator, value }: Pick<Condition, 'operator' | 'value'>,
  { atLeast, atMost }: Bounds,
): boolean | string {
  if (operator === 'in' || operator === 'any_in')
    return findListedUncertainty(value, { atLeast, atMost });
  if (typeof value !== 'number') return false;
  if (operator === 'greater_than' && atLeast > value) return true;
  if (operator === 'less_than' && atMost < value) return true;
  if (operator === 'at_least' && atLeast >= value) return true;
  if (operator === 'at_most' && atMost <= value) return true;
  const isPossible = {
    greater_than: atMost > value,
    less_than: atLeast < value,
    at_least: atMost >= value,
    at_most: atLeast <= value,
    equals: atLeast <= value && value <= atMost,
    contains: false,
    regex: false,
  }[operator];
  return isPossible && describeUncertainty({ atLeast, atMost });
}

/** An amount that may be one of the values is uncertain; a named list may hold any number. */
function findListedUncertainty(value: Json, { atLeast, atMost }: Bounds): boolean | string {
  const isPossible =
    !Array.isArray(value) ||
    value.some((one) => typeof one === 'number' && atLeast <= one && one <= atMost);
  return isPossible && describeUncertainty({ atLeast, atMost });
}

function describeUncertainty({ atLeast, atMost }: Bounds): string {
  return Number.isFinite(atMost)
    ? `an amount can be read in several ways, as ${atLeast} up to ${atMost}`
    : `an amount could not be read; those that could come to ${atLeast}`;
}
