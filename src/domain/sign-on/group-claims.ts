// The groups that an identity provider tells, in whatever form it does; a form that is not understood tells nothing.

/** Values that say that a person is in no group, or in some. */
type Told = string[] | null;

/** What URL-escaping leaves behind. */
const ESCAPED = /%[0-9A-F]{2}/i;

/**
 * The names of groups in a claim or in the values of an attribute; an absent claim is an empty list. Null: in a form that is not
 * understood, such as objects, lists in lists, JSON in a text, or escaped names. Then nobody knows what a person has lost.
 */
export function groupsTold(claim: unknown): Told {
  if (claim === undefined || claim === null) return [];
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  if (values.some(mayHideGroups)) return null;
  const names = values.filter((value) => typeof value === 'string');
  return names.length === 0 && values.length > 0 ? null : names;
}

function mayHideGroups(value: unknown): boolean {
  if (typeof value === 'string') return ESCAPED.test(value) || isJson(value);
  return typeof value === 'object' && value !== null;
}

/** A list, an object or a quoted text; braces and brackets alone may be part of a name. */
function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
