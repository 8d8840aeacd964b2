// The automaton inside of re2js. Touched, and private there: `re2().dfa` with the members below, `prefilter`, `prefixComplete`.
import type { RE2JS } from 're2js';

export interface Dfa {
  memBudget: number;
  stateBudget: number;
  clearCache(): void;
  resetCache(state: DfaState): DfaState | null;
  step(state: DfaState, cls: number, ...rest: unknown[]): DfaState | null;
  match(...search: unknown[]): boolean | null;
}
export interface DfaState {
  nfaStates: readonly number[];
  next: readonly (DfaState | null)[] | null;
}

const METHODS = ['clearCache', 'resetCache', 'step', 'match'] as const;
const BUDGETS = ['memBudget', 'stateBudget'] as const;

/** Returns the automaton of a program; null: re2js has none with these members, and is to be used as it is. */
export function findDfa(program: Pick<RE2JS, 're2'>): Dfa | null {
  const { dfa } = program.re2() as { dfa?: Partial<Dfa> };
  const isKnown =
    METHODS.every((name) => typeof dfa?.[name] === 'function') &&
    BUDGETS.every((name) => typeof dfa?.[name] === 'number');
  return isKnown ? (dfa as Dfa) : null;
}

/** Makes a program search without looking for its literals first. */
export function disableLiteralSearch(program: Pick<RE2JS, 're2'>): void {
  Object.assign(program.re2(), { prefilter: null, prefixComplete: false });
}
