// The work that one decision may cause, counted in steps of some 20 ns: it buys every other tenant an answer within milliseconds.

/** Steps for each part of a decision; a step is what it takes to look at one character. */
export const workLimits = {
  /** Conditions of all policies: 40 ms. */
  conditions: 2_000_000,
  /** Scrubbing of all texts, keys and numbers: 40 ms. */
  scrubbing: 2_000_000,
} as const;

/** Steps for an answer that is known. */
const REMEMBERED = 15;

/** Budget of steps for scrubbing and judging one decision. */
export class Work {
  #left: number;
  readonly #answers = new Map<string, boolean>();

  constructor(steps: number) {
    this.#left = steps;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes steps, rounded up. False when fewer are left: then nothing is left. */
  take(steps: number): boolean {
    this.#left -= Math.ceil(steps);
    if (this.#left >= 0) return true;
    this.#left = 0;
    return false;
  }

  /** The answer to a question that takes these steps when it is asked first, and few after that. False when fewer are left. */
  ask(question: string, steps: number, answer: () => boolean): boolean {
    const known = this.#answers.get(question);
    if (!this.take(known === undefined ? steps : REMEMBERED)) return false;
    if (known !== undefined) return known;
    const found = answer();
    this.#answers.set(question, found);
    return found;
  }
}
