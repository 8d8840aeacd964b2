// Reads the groups in the claims of an identity provider, in any of the known forms.

/** The names of a person's groups; null: unknown. */
type GroupNames = string[] | null;

/** A URL-escaped character. */
const ESCAPED = /%[0-9A-F]{2}/i;

/**
 * The names of groups in a claim or in the values of an attribute; an absent claim is an empty list. Null: the form is
 * not supported, such as objects, nested lists, JSON in a text, or escaped names, so no group may be withdrawn.
 */
export function readGroupNames(claim: unknown): GroupNames {
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

/** Whether a text is a JSON list, object or string; braces and brackets alone may be part of a name. */
function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
