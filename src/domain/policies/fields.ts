// How a condition's field path finds its value in the facts.
import type { Json, JsonObject } from '../record/json.ts';

const index = /^(?:0|[1-9]\d*)$/;

/** Splits a dotted path once, so that reading does not. */
export function splitPath(field: string): string[] {
  return field.split('.');
}

/** The value at the path; undefined when any step is absent. Only own members of objects and indexes of arrays are reached. */
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
