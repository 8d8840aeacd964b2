// Parses JSON in attributes, which is anything that an instrumentation writes there.
import { isJsonObject, type Json, type JsonObject } from '../record/json.ts';
import { parseSafeJson } from '../record/safe-json.ts';

/** Levels of a value that becomes part of a decision, which has levels around it. */
const MAX_LEVELS = 24;

function isWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isWithin(item, levels - 1));
}

/** The value of a text of JSON; undefined for another text. A structured value is itself. */
export function parseJson(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    const parsed = parseSafeJson(value);
    return isWithin(parsed, MAX_LEVELS) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a text of JSON; another text is itself. */
export function parseJsonOrText(value: Json | undefined): Json | undefined {
  return parseJson(value) ?? value;
}

/** The objects of a list; none of anything else. */
export function listObjects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function toOptionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
