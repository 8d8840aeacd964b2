// The contents of a named list as the text that its digest is made of, and the limits of lists.
import { hash } from 'node:crypto';

/** `values` and `characters` count in one list, those of `together` in all lists of an organisation. */
export const listLimits = {
  lists: 100,
  values: 10_000,
  value: 200,
  characters: 500_000,
  together: { values: 100_000, characters: 2_000_000 },
} as const;

export interface ListContents {
  /** SHA-256 (hex) of `text`. */
  digest: string;
  /** Canonical JSON of the distinct values, sorted by code units. */
  text: string;
  count: number;
}

/** The values of a list, named. */
export interface ListVersion {
  digest: string;
  count: number;
}

/** A proposed change of a list; `after` null: the list is removed. */
export interface ListChange {
  name: string;
  /** As it was when the change was written. */
  description: string;
  before: ListVersion;
  after: ListVersion | null;
}

export function computeListDigest(values: readonly string[]): ListContents {
  const distinct = [...new Set(values)].sort();
  const text = JSON.stringify(distinct);
  return { digest: hash('sha256', text), text, count: distinct.length };
}

/** How large a list is, as it counts against the limits. */
interface ListSize {
  count: number;
  characters: number;
}

/** The limit that a list exceeds beside the other lists of its organisation; null when it does not. */
export function findListLimitViolation(list: ListSize, others: readonly ListSize[]): string | null {
  const { lists, characters, together } = listLimits;
  if (others.length >= lists) return `An organisation may have at most ${lists} lists`;
  if (list.characters > characters)
    return `The values of a list may have at most ${characters} characters as JSON; these have ${list.characters}`;
  const countTogether = (of: keyof ListSize): number =>
    others.reduce((total, other) => total + other[of], list[of]);
  if (countTogether('count') > together.values)
    return `The lists of an organisation may have at most ${together.values} values together; these would have ${countTogether('count')}`;
  return countTogether('characters') > together.characters
    ? `The lists of an organisation may have at most ${together.characters} characters as JSON together; these would have ${countTogether('characters')}`
    : null;
}
