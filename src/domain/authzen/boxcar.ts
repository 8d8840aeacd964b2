// Several access evaluations in one request: default values, and when to stop.
import { isJsonObject, type Json, type JsonObject } from '@assay/json';

export const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
export type Semantic = (typeof SEMANTICS)[number];

/** Values of questions that do not give their own. */
export type Defaults = Partial<Record<'subject' | 'action' | 'resource' | 'context', Json>>;

/** Members that are taken from a default when the own value lacks them. */
const REQUIRED: readonly [name: keyof Defaults, required: readonly string[]][] = [
  ['subject', ['type', 'id']],
  ['action', ['name']],
  ['resource', ['type', 'id']],
  ['context', []],
];

/**
 * A question with its default values. An own value replaces the default as a whole, except for the required members that
 * it lacks. One of another type takes nothing from it.
 */
export function applyDefaults(question: JsonObject, defaults: Defaults): JsonObject {
  const complete: JsonObject = { ...question };
  for (const [name, required] of REQUIRED) {
    const [own, fallback] = [question[name] ?? null, defaults[name] ?? null];
    if (own === null && fallback !== null) complete[name] = fallback;
    else if (isJsonObject(own) && isJsonObject(fallback))
      complete[name] = lendMembers(own, fallback, required);
  }
  return complete;
}

function lendMembers(
  own: JsonObject,
  fallback: JsonObject,
  required: readonly string[],
): JsonObject {
  // An id means nothing under another type.
  const isOther = own['type'] != null && own['type'] !== fallback['type'];
  const lent = isOther
    ? []
    : required.filter((name) => own[name] == null && fallback[name] != null);
  if (lent.length === 0) return own;
  return { ...own, ...Object.fromEntries(lent.map((name) => [name, fallback[name] as Json])) };
}

/** Whether no further question is judged after this answer. */
export function isLast(semantic: Semantic, isPermitted: boolean): boolean {
  if (semantic === 'execute_all') return false;
  return isPermitted === (semantic === 'permit_on_first_permit');
}
