// Field paths of conditions: checking and splitting them, and reading a value from the facts.
import type { Json, JsonObject } from '@assay/json';

const index = /^(?:0|[1-9]\d*)$/;

/** Characters of a field path, and its segments. */
export const fieldLimits = { field: 200, segments: 16 } as const;

const refusedSegments = new Set(['__proto__', 'constructor', 'prototype']);
const control = /\p{Cc}/u;

/** The fault of a field path; null: none. */
export function findFieldProblem(field: string): string | null {
  const segments = field.split('.');
  if (field.length > fieldLimits.field) return `must have at most ${fieldLimits.field} characters`;
  if (segments.length > fieldLimits.segments)
    return `must have at most ${fieldLimits.segments} segments`;
  if (segments.includes(''))
    return 'must be names separated by single dots, such as outputDecision.action';
  if (control.test(field)) return 'must not contain control characters';
  const refused = segments.find((segment) => refusedSegments.has(segment));
  return refused === undefined ? null : `must not contain the segment ${refused}`;
}

/** Splits a dotted path, once for many reads. */
export function splitPath(field: string): string[] {
  return field.split('.');
}

/** The value at a path; undefined when a segment is absent. Only own members of objects and array indexes are read. */
export function readPath(facts: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = facts;
  for (const segment of path) {
    if (value === null || typeof value !== 'object') return undefined;
    if (Array.isArray(value)) value = index.test(segment) ? value[Number(segment)] : undefined;
    else value = Object.hasOwn(value, segment) ? value[segment] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}
