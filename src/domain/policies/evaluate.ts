// One evaluation of a compiled set: fields are read and conditions tested when first needed, and remembered.
import type { Json, JsonObject } from '../record/json.ts';
import { readPath } from './fields.ts';
import type { CompiledCondition, CompiledPolicy } from './policy.ts';

/** Three-valued logic as numbers: AND is the minimum, OR the maximum. UNKNOWN is a condition that could not be evaluated. */
export const FALSE = 1;
export const UNKNOWN = 2;
export const TRUE = 3;
export type Truth = typeof FALSE | typeof UNKNOWN | typeof TRUE;

/** A distinct condition of the set. */
export interface Slot {
  /** Index into the distinct fields. */
  field: number;
  test: CompiledCondition['test'];
}

/** A policy's chain of conditions as a closure over the slots of a set. */
export type Evaluator = (run: Evaluation) => Truth;

const unread = Symbol('unread');

/** What one evaluation over the facts of one decision has found so far. */
export class Evaluation {
  readonly #facts: JsonObject;
  readonly #paths: readonly string[][];
  readonly #slots: readonly Slot[];
  readonly #values: (Json | undefined | typeof unread)[];
  readonly #truths: Uint8Array;
  #errors: Map<number, string> | null = null;

  /** @param paths the distinct fields, split */
  constructor(facts: JsonObject, paths: readonly string[][], slots: readonly Slot[]) {
    this.#facts = facts;
    this.#paths = paths;
    this.#slots = slots;
    this.#values = new Array<typeof unread>(paths.length).fill(unread);
    this.#truths = new Uint8Array(slots.length);
  }

  /** The value of a field, read at most once; undefined when absent. */
  value(field: number): Json | undefined {
    const known = this.#values[field];
    if (known !== unread) return known;
    return (this.#values[field] = readPath(this.#facts, this.#paths[field]!));
  }

  /** Whether a condition holds, tested at most once. */
  truth(slot: number): Truth {
    return (this.#truths[slot] ||= this.#test(slot)) as Truth;
  }

  /** What went wrong in a condition that is UNKNOWN. */
  error(slot: number): string | undefined {
    return this.#errors?.get(slot);
  }

  #test(slot: number): Truth {
    const { field, test } = this.#slots[slot]!;
    const actual = this.value(field);
    const finding = actual !== undefined && test(actual);
    if (typeof finding === 'boolean') return finding ? TRUE : FALSE;
    (this.#errors ??= new Map()).set(slot, finding);
    return UNKNOWN;
  }
}

const costs = { equals: 0, greater_than: 0, less_than: 0, contains: 1, regex: 2 } as const;

/** Closes over the slots of the policy's conditions, in stored order; where all are joined alike, the cheapest is asked first. */
export function evaluatorOf(
  { conditions, joins }: CompiledPolicy,
  slots: readonly number[],
): Evaluator {
  const uniform = joins.every((join) => join === joins[0]);
  if (!uniform)
    return chain(
      slots,
      joins.map((join) => join === 'AND'),
    );
  const cheapestFirst = slots
    .map((slot, i) => ({ slot, cost: costs[conditions[i]!.operator] }))
    .sort((a, b) => a.cost - b.cost)
    .map(({ slot }) => slot);
  return joins[0] === 'OR' ? anyOf(cheapestFirst) : allOf(cheapestFirst);
}

function allOf(slots: readonly number[]): Evaluator {
  return (run) => {
    let sum: Truth = TRUE;
    for (const slot of slots) {
      const truth = run.truth(slot);
      if (truth === FALSE) return FALSE;
      if (truth < sum) sum = truth;
    }
    return sum;
  };
}

function anyOf(slots: readonly number[]): Evaluator {
  return (run) => {
    let sum: Truth = FALSE;
    for (const slot of slots) {
      const truth = run.truth(slot);
      if (truth === TRUE) return TRUE;
      if (truth > sum) sum = truth;
    }
    return sum;
  };
}

function chain([first, ...rest]: readonly number[], ands: readonly boolean[]): Evaluator {
  return (run) => {
    let sum = run.truth(first!);
    for (const [i, slot] of rest.entries()) {
      if (sum === (ands[i] ? FALSE : TRUE)) continue;
      const truth = run.truth(slot);
      sum = (ands[i] ? Math.min(sum, truth) : Math.max(sum, truth)) as Truth;
    }
    return sum;
  };
}

/** The error of the first condition, in stored order, that could not be evaluated. */
export function firstError(run: Evaluation, slots: readonly number[]): string {
  const slot = slots.find((candidate) => run.truth(candidate) === UNKNOWN);
  return (slot === undefined ? undefined : run.error(slot)) ?? 'a condition could not be evaluated';
}
