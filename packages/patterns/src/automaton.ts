// The lazily built automaton of a pattern: building states costs work, and the memory of all automata is bounded.
import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';
import type { Work } from './work.ts';
import { type Dfa, disableLiteralSearch, findDfa } from './re2-automaton.ts';

/** Steps of 20 ns: new transition, each instruction in its state; without automaton, an instruction on a character. */
const costs = { transition: 100, perInstruction: 20, without: 1 } as const;

/** Bytes of one automaton, and of all that are kept between searches. */
const KEPT_OF_ONE = 256 * 1024;
const KEPT_OF_ALL = 16 * 1024 * 1024;
/** Steps that any search may spend on building: what is built once serves the next searches. */
const TO_BEGIN_WITH = 5_000;
/** More than any search can pay for. */
const UNBOUNDED = 1 << 30;
/** Instructions up to which the literals of a pattern are looked for first; for long ones the engine's search is not linear. */
const SHORT = 64;

export interface Automaton {
  /** Whether the pattern occurs in the text; null when that would take more work than is left. */
  matchText(text: string, work: Work): boolean | null;
}

class OutOfWork extends Error {}

const automatonCache = new LRUCache<Dfa, number>({
  maxSize: KEPT_OF_ALL,
  sizeCalculation: (bytes) => bytes,
  dispose: (_bytes, dfa, reason) => reason === 'evict' && dfa.clearCache(),
});

/** The budget of one search. */
interface Search {
  work: Work;
  /** Steps it takes without the automaton. */
  without: number;
  /** Steps that may be spent on building states. */
  most: number;
  built: number;
}

/**
 * A search takes hardly more than it would take without an automaton, instructions times characters: where building states has cost a
 * quarter of that, it goes on without.
 */
export function createAutomaton(program: RE2JS, instructions: number): Automaton {
  const dfa = findDfa(program);
  return dfa ? guardAutomaton(program, dfa, instructions) : chargeWhole(program, instructions);
}

function guardAutomaton(program: RE2JS, dfa: Dfa, instructions: number): Automaton {
  if (instructions > SHORT) disableLiteralSearch(program);
  liftBounds(dfa);
  let search: Search | null = null;
  guardStateBuilding(dfa, () => search);
  return {
    matchText(text, work) {
      const without = costs.without * instructions * text.length;
      const own = { work, without, most: TO_BEGIN_WITH + without / 4, built: 0 };
      search = own;
      try {
        return program.test(text);
      } catch (error) {
        if (error instanceof OutOfWork) return null;
        throw error;
      } finally {
        if (own.built > 0) keepAutomaton(dfa);
      }
    },
  };
}

/** Charges every search what it takes without an automaton, the most that re2js takes. */
export function chargeWhole(program: Pick<RE2JS, 'test'>, instructions: number): Automaton {
  return {
    matchText: (text, work) =>
      work.take(costs.without * instructions * text.length) ? program.test(text) : null,
  };
}

function liftBounds(dfa: Dfa): void {
  dfa.memBudget = dfa.stateBudget = UNBOUNDED;
  dfa.resetCache = () => null;
}

/** Charges the current search before the automaton builds a state or leaves the text to the other engine. */
function guardStateBuilding(dfa: Dfa, getSearch: () => Search | null): void {
  const [step, match] = [dfa.step.bind(dfa), dfa.match.bind(dfa)];
  dfa.step = (state, cls, ...rest) => {
    const known = state.next?.[cls];
    if (known) return known;
    const search = getSearch();
    const cost = costs.transition + costs.perInstruction * state.nfaStates.length;
    if (!search?.work.take(cost)) throw new OutOfWork();
    search.built += cost;
    return search.built > search.most ? null : step(state, cls, ...rest);
  };
  dfa.match = (...args) => {
    const outcome = match(...args);
    const search = getSearch();
    if (outcome === null && !search?.work.take(search.without)) throw new OutOfWork();
    return outcome;
  };
}

function keepAutomaton(dfa: Dfa): void {
  const bytes = UNBOUNDED - dfa.memBudget;
  if (bytes <= KEPT_OF_ONE) return void automatonCache.set(dfa, Math.max(1, bytes));
  automatonCache.delete(dfa);
  dfa.clearCache();
}
