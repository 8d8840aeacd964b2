// Detection rules: a type of personal data, the features that a text must have, and what is looked for in it (docs/scrubbing.md).
import type { Parts } from '../others-turn.ts';
import type { Work } from '../work.ts';

/** The types of personal data; a marker is `[TYPE]`, a tag `PII_TYPE`. */
export type DetectionType =
  | 'EMAIL'
  | 'IBAN'
  | 'CARD'
  | 'NATIONAL_ID'
  | 'PHONE'
  | 'IP_ADDRESS'
  | 'DATE_OF_BIRTH'
  | 'SECRET';

/** A half-open range of UTF-16 units of the folded text. */
export interface Span {
  start: number;
  end: number;
}

/** A text in which rules look for personal data, and the work they may cause. */
export interface TextSearch {
  text: string;
  work: Work;
}

/** What may be personal data, and which of it is. */
export interface Candidates {
  /** Global. Others may use it between two matches. */
  pattern: RegExp;
  /** Spans in any order, which may overlap. What is found when the work is used up counts for nothing. */
  spansAt(match: RegExpExecArray, search: TextSearch): readonly Span[];
}

export interface Rule {
  type: DetectionType;
  /** Bits of `textFeatures`: in a text that has none of them there is nothing. */
  needs: number;
  /** For one text, whose matches are looked at in their order; in linear time. */
  candidates(text: string): readonly Candidates[];
}

/** The tag of a detection, for example `PII_EMAIL`. */
export function detectionTag(type: DetectionType): string {
  return `PII_${type}`;
}

/** Steps for what rules look at closely, besides the characters of the text. */
export const costs = {
  /** A match of a pattern. */
  match: 15,
  /** One form of a national id number, or an IBAN, by its check digits. */
  checkDigits: 500,
  /** One telephone number, by the numbering plan of one country. */
  numberingPlan: 1_200,
} as const;

/** Every span in a text, in parts; no more come when the work is used up. */
export function* spansIn(search: TextSearch, { candidates }: Rule): Parts<Span[]> {
  const { text, work } = search;
  const spans: Span[] = [];
  for (const { pattern, spansAt } of candidates(text)) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (!work.take(costs.match)) return spans;
      const next = match[0] === '' ? pattern.lastIndex + 1 : pattern.lastIndex;
      spans.push(...spansAt(match, search));
      if (work.endsPart()) yield;
      pattern.lastIndex = next;
    }
  }
  return spans;
}

const none: readonly Span[] = [];

/** A span; of length 0: none. */
export function spanOf(start: number, length: number): readonly Span[] {
  return length === 0 ? none : [{ start, end: start + length }];
}

/**
 * Every match of a global pattern; of a pattern that ends in a look-ahead group `found`, the span of that group. `lengthOf` returns
 * how many of the found characters, from the first, are personal data.
 */
export function matchesOf(
  pattern: RegExp,
  lengthOf: (found: string, work: Work) => number = ({ length }) => length,
): Candidates {
  return {
    pattern,
    spansAt(match, { work }) {
      const ahead = match.groups?.['found'];
      const start = ahead === undefined ? match.index : match.index + match[0].length;
      return spanOf(start, lengthOf(ahead ?? match[0], work));
    },
  };
}
