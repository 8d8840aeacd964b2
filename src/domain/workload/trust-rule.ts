// Whether the claims of a workload's token are those that a trust asks for.
import { compilePattern, PatternTooExpensive, Work, workLimits } from '@assay/patterns';
import { isJsonObject, type Json, type JsonObject } from '@assay/json';

/** An equal text, or a pattern (RE2) of the whole text. */
export type ExpectedText = string | { pattern: string };
export type ExpectedClaim = ExpectedText | number | boolean;

/** `claims`: by name, or by JSON Pointer (RFC 6901) where the name begins with a slash. */
export interface TrustRule {
  subject: ExpectedText;
  claims: Readonly<Record<string, ExpectedClaim>>;
}

/** Says why a pattern is refused; null: it is not. */
export function findPatternProblem(source: string): string | null {
  // Without its frame first: `a)|(?:b` would close the frame.
  for (const tried of [source, frame(source)]) {
    const result = compilePattern(tried);
    if ('problem' in result) return result.problem;
  }
  return null;
}

/** The name of the first claim that is missing or another one; null: all are as the rule asks. */
export function findOtherClaim({ subject, claims }: TrustRule, given: JsonObject): string | null {
  const work = new Work(workLimits.conditions);
  if (!isExpected(subject, given['sub'], work)) return 'sub';
  const names = Object.keys(claims);
  return names.find((name) => !isExpected(claims[name], readClaim(given, name), work)) ?? null;
}

const frame = (source: string): string => `^(?:${source})$`;

/** A list has a value if one of its items has. */
function isExpected(
  expected: ExpectedClaim | undefined,
  given: Json | undefined,
  work: Work,
): boolean {
  if (expected === undefined) return false;
  if (Array.isArray(given)) return given.some((item) => isExpected(expected, item, work));
  if (typeof expected !== 'object') return given === expected;
  return typeof given === 'string' && matchesWhole(expected.pattern, given, work);
}

function matchesWhole(source: string, text: string, work: Work): boolean {
  const result = compilePattern(frame(source));
  if ('problem' in result || findPatternProblem(source) !== null) return false;
  try {
    return result.pattern.hasMatch([text], work);
  } catch (error) {
    if (error instanceof PatternTooExpensive) return false;
    throw error;
  }
}

/** Reads own members of objects only. */
function readClaim(claims: JsonObject, name: string): Json | undefined {
  const path = name.startsWith('/') ? name.slice(1).split('/').map(unescapePart) : [name];
  let value: Json | undefined = claims;
  for (const part of path) {
    if (!isJsonObject(value ?? null) || !Object.hasOwn(value as JsonObject, part)) return undefined;
    value = (value as JsonObject)[part];
  }
  return value;
}

const unescapePart = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
