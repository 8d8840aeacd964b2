// Regular expressions of users: RE2 syntax, searched in linear time, compiled once, and bounded in size, work and memory.
import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';

/**
 * Characters of a pattern; instructions of its program; bytes of its cached automaton, and how often one search may fill them, which
 * takes some 12 ms; instructions x UTF-16 units of one search, with the automaton, and without it, which takes some 25 ns for each.
 */
export const patternLimits = {
  length: 1_000,
  instructions: 500,
  automatonBytes: 1 << 20,
  automatonFillings: 2,
  work: 25_000_000,
  workWithoutAutomaton: 1_500_000,
} as const;

/** An accepted pattern. */
export interface Pattern {
  /** Instructions of the compiled program: a search takes at most this times the length of the text. */
  instructions: number;
  /**
   * Whether the pattern occurs anywhere in one of the texts (case-sensitive; `^` and `$` are the ends of a text unless `(?m)`).
   * @throws PatternTooDear when the automaton outgrows its memory and the texts are too long to be searched without it
   */
  occursIn(texts: readonly string[]): boolean;
}

export class PatternTooDear extends Error {}

/** Either the pattern, or why it is refused, as text that follows the name of the value. */
export type PatternResult = { pattern: Pattern } | { problem: string };

const compiled = new LRUCache<string, PatternResult>({ max: 2_000 });

/**
 * Compiles a pattern, or says what is wrong with it; never throws. Look-around and back-references are refused by RE2, since they
 * cannot be matched in linear time.
 */
export function compilePattern(source: string): PatternResult {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const result = compileAnew(source);
  compiled.set(source, result);
  return result;
}

function compileAnew(source: string): PatternResult {
  if (source === '') return { problem: 'must not be empty' };
  if (source.length > patternLimits.length)
    return { problem: `must have at most ${patternLimits.length} characters` };
  try {
    return admit(RE2JS.compile(source));
  } catch (error) {
    const detail =
      error instanceof RE2JSException
        ? error.message.replace('error parsing regexp: ', '')
        : 'not a pattern';
    return { problem: `is refused by the linear-time engine (RE2 syntax): ${detail}` };
  }
}

function admit(program: RE2JS): PatternResult {
  const instructions = program.programSize();
  if (instructions > patternLimits.instructions) {
    return {
      problem: `compiles to ${instructions} instructions, more than ${patternLimits.instructions}: use smaller repetitions`,
    };
  }
  return { pattern: { instructions, occursIn: searcher(program, instructions) } };
}

/** A search of bounded cost, whose outcome depends on pattern and texts alone and not on what was searched before. */
function searcher(program: RE2JS, instructions: number): Pattern['occursIn'] {
  const { dfa } = program.re2();
  dfa.stateBudget = dfa.memBudget = patternLimits.automatonBytes;
  const [run, startOver] = [dfa.match.bind(dfa), dfa.resetCache.bind(dfa)];
  let isLong = false;
  let fillings = 0;
  // The automaton answers null where it gives up, and is then replaced by a slower engine.
  dfa.resetCache = (state: unknown) =>
    ++fillings < patternLimits.automatonFillings ? (startOver(state) as unknown) : null;
  dfa.match = (...search: Parameters<typeof run>) => {
    const outcome: unknown = run(...search);
    if (outcome === null && isLong) throw new PatternTooDear();
    return outcome;
  };
  return (texts) => {
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    isLong = units * instructions > patternLimits.workWithoutAutomaton;
    fillings = 0;
    // A warm automaton could get through texts on which a cold one gives up.
    if (isLong) dfa.clearCache();
    return texts.some((text) => program.test(text));
  };
}
