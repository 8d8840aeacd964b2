// The words of catalogues, and the names of tools as facts and catalogues compare them; for browsers too.

/** What a call does in the world. */
export const EFFECTS = [
  'fetch',
  'money',
  'book',
  'delete',
  'access',
  'write',
  'outbound',
  'execute',
] as const;
export type Effect = (typeof EFFECTS)[number];

/** Labels of results with a fixed meaning; a catalogue may have words of its own beside them. */
export const COMMON_LABELS = ['untrusted', 'private', 'secret', 'internal'] as const;

/** Converts `deleteUser` and `Delete-User` to `delete_user`, and `Delete the user` to `delete_the_user`. */
export function toSnakeCase(name: string): string {
  const parted = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2');
  return parted
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

/** A last character that changes nothing before it. */
const LAST = '0';

/** Whether a text asks for all tools that begin so. */
export const isToolPrefix = (tool: string): boolean => tool.endsWith('*');

/** The beginning of names that a text with a star asks for: `cancelOrd*` is `cancel_ord`, and `cancel_*` keeps its line. */
export const toToolPrefix = (tool: string): string =>
  toSnakeCase(tool.slice(0, -1) + LAST).slice(0, -1);
