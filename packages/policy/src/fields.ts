// Field paths of conditions: splitting them, and reading a value from the facts.
import type { Json, JsonObject } from '@assay/json';

const index = /^(?:0|[1-9]\d*)$/;

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
