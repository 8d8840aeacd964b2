// User-defined regular expressions: RE2 syntax, linear time, bounded in size, work and memory, compiled once.
import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';

/**
 * Characters of a pattern; instructions of its program; bytes of its lazily built DFA, and how often one search may fill them, at
 * some 12 ms; instructions x UTF-16 units of one search with the DFA, and without it, at some 25 ns each.
 */
export const patternLimits = {
  length: 1_000,
  instructions: 500,
  dfaBytes: 1 << 20,
  dfaFills: 2,
  work: 25_000_000,
  workWithoutDfa: 1_500_000,
} as const;

/** A compiled pattern. */
export interface Pattern {
  /** Instructions of the compiled program: a search takes at most this times the length of the text. */
  instructions: number;
  /**
   * Whether the pattern occurs anywhere in one of the texts (case-sensitive; `^` and `$` are the ends of a text unless `(?m)`).
   * @throws PatternTooExpensive when the DFA outgrows its memory and the texts are too long to be searched without it
   */
  occursIn(texts: readonly string[]): boolean;
}

export class PatternTooExpensive extends Error {}

/** The pattern, or why it is refused, as a text that follows the name of the value. */
export type PatternResult = { pattern: Pattern } | { problem: string };

const compiled = new LRUCache<string, PatternResult>({ max: 2_000 });

/**
 * Compiles a pattern, or says why it is refused; never throws. RE2 has no look-around and no back-references, since they cannot be
 * matched in linear time.
 */
export function compilePattern(source: string): PatternResult {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const result = compileUncached(source);
  compiled.set(source, result);
  return result;
}

function compileUncached(source: string): PatternResult {
  if (source === '') return { problem: 'must not be empty' };
  if (source.length > patternLimits.length)
    return { problem: `must have at most ${patternLimits.length} characters` };
  try {
    return boundedPattern(RE2JS.compile(source));
  } catch (error) {
    const detail =
      error instanceof RE2JSException
        ? error.message.replace('error parsing regexp: ', '')
        : 'cannot be parsed';
    return { problem: `is not a valid RE2 pattern: ${detail}` };
  }
}

function boundedPattern(program: RE2JS): PatternResult {
  const instructions = program.programSize();
  if (instructions > patternLimits.instructions) {
    return {
      problem: `compiles to ${instructions} instructions, more than ${patternLimits.instructions}; use smaller repetitions`,
    };
  }
  return { pattern: { instructions, occursIn: boundedSearch(program, instructions) } };
}

/** A search of bounded cost, whose outcome depends on pattern and texts alone, not on earlier searches. */
function boundedSearch(program: RE2JS, instructions: number): Pattern['occursIn'] {
  const { dfa } = program.re2();
  dfa.stateBudget = dfa.memBudget = patternLimits.dfaBytes;
  const [match, resetCache] = [dfa.match.bind(dfa), dfa.resetCache.bind(dfa)];
  let isLong = false;
  let fills = 0;
  // Where the DFA gives up it returns null, and RE2 falls back to a slower engine.
  dfa.resetCache = (state: unknown) =>
    ++fills < patternLimits.dfaFills ? (resetCache(state) as unknown) : null;
  dfa.match = (...search: Parameters<typeof match>) => {
    const outcome: unknown = match(...search);
    if (outcome === null && isLong) throw new PatternTooExpensive();
    return outcome;
  };
  return (texts) => {
    const units = texts.reduce((sum, { length }) => sum + length, 0);
    isLong = units * instructions > patternLimits.workWithoutDfa;
    fills = 0;
    // A warm DFA could finish texts on which a cold one gives up.
    if (isLong) dfa.clearCache();
    return texts.some((text) => program.test(text));
  };
}
