// User-defined regular expressions: RE2 syntax, linear time, bounded in size, work and memory, compiled once.
import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';
import type { Work } from './work.ts';
import { createAutomaton, type Automaton } from './automaton.ts';
import { estimateClassCost, estimateExpandedSize } from './pattern-size.ts';

/**
 * `length`: characters of a pattern. `instructions`: those of its program. `together`: those of all patterns of a
 * policy, which are compiled in one go: some 40 ms. `writtenOut`: those estimated before it is
 * compiled. `classes`: Unicode classes such as `\\p{L}` of one pattern and of all patterns of a policy, each of which
 * takes a tenth of a millisecond to make. `work`: instructions x UTF-16 units of one search. `kept`: instructions of
 * all compiled patterns in the cache.
 */
export const patternLimits = {
  length: 1_000,
  instructions: 500,
  together: 5_000,
  writtenOut: 4_000,
  classes: 200,
  work: 25_000_000,
  kept: 200_000,
} as const;

/** A compiled pattern. */
export interface Pattern {
  /** Instructions of the compiled program. */
  instructions: number;
  /**
   * Whether the pattern occurs anywhere in one of the texts (case-sensitive; `^` and `$` are the ends of a text unless `(?m)`).
   * @throws PatternTooExpensive when that would take more work than is left
   */
  hasMatch(texts: readonly string[], work: Work): boolean;
}

export class PatternTooExpensive extends Error {}

/** The pattern, or why it is refused, as a text that follows the name of the value. */
export type PatternResult = { pattern: Pattern } | { problem: string };

const patternCache = new LRUCache<string, PatternResult>({
  max: 2_000,
  maxSize: patternLimits.kept,
  sizeCalculation: (result) => ('pattern' in result ? result.pattern.instructions : 1),
});

/**
 * Compiles a pattern, or says why it is refused; never throws. RE2 has no look-around and no back-references, since they cannot be
 * matched in linear time.
 */
export function compilePattern(source: string): PatternResult {
  const known = patternCache.get(source);
  if (known !== undefined) return known;
  const result = compileUncached(source);
  patternCache.set(source, result);
  return result;
}

function compileUncached(source: string): PatternResult {
  if (source === '') return { problem: 'must not be empty' };
  if (source.length > patternLimits.length)
    return { problem: `must have at most ${patternLimits.length} characters` };
  const writtenOut = estimateExpandedSize(source);
  if (writtenOut > patternLimits.writtenOut)
    return { problem: describeTooLarge(`about ${writtenOut}`) };
  if (estimateClassCost(source) > patternLimits.classes) return { problem: TOO_MANY_CLASSES };
  try {
    return createBoundedPattern(RE2JS.compile(source));
  } catch (error) {
    const detail =
      error instanceof RE2JSException
        ? error.message.replace('error parsing regexp: ', '')
        : 'cannot be parsed';
    return { problem: `is not a valid RE2 pattern: ${detail}` };
  }
}

/** The problem of a pattern whose classes exceed the limit. */
export const TOO_MANY_CLASSES = `holds more Unicode classes (\\p{L}) or, ignoring case, longer ranges than ${patternLimits.classes} classes`;

function createBoundedPattern(program: RE2JS): PatternResult {
  const instructions = program.programSize();
  if (instructions > patternLimits.instructions)
    return { problem: describeTooLarge(String(instructions)) };
  let automaton: Automaton | null = null;
  const hasMatch: Pattern['hasMatch'] = (texts, work) =>
    searchTexts((automaton ??= createAutomaton(program, instructions)), texts, work);
  return { pattern: { instructions, hasMatch } };
}

function describeTooLarge(instructions: string): string {
  return `compiles to ${instructions} instructions, more than ${patternLimits.instructions}; use smaller repetitions`;
}

function searchTexts(automaton: Automaton, texts: readonly string[], work: Work): boolean {
  return texts.some((text) => {
    const found = work.take(text.length) ? automaton.matchText(text, work) : null;
    if (found === null) throw new PatternTooExpensive();
    return found;
  });
}
