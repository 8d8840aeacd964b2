// Patterns in linear time: what the package offers.
export { toLiteralPattern } from './literal-pattern.ts';
export { findParts } from './part-search.ts';
export { estimateClassCost } from './pattern-size.ts';
export {
  compilePattern,
  type Pattern,
  patternLimits,
  type PatternResult,
  PatternTooExpensive,
  TOO_MANY_CLASSES,
} from './regex.ts';
export { createTextSearch, SHORT } from './text-search.ts';
export { Work, workLimits } from './work.ts';
