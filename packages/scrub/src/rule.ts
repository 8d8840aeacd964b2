// Detection rules: a type of personal data, the features that a text must have, and its candidates (scrubbing.md).
import type { Work } from '@assay/patterns';

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

/** A pattern of possible personal data, and the function that picks the actual data from a match. */
export interface Candidates {
  /** A global pattern, which other searches may use between two matches. */
  pattern: RegExp;
  /** The spans of a match in any order; they may overlap. Spans found after the work is used up are ignored. */
  extractSpans(match: RegExpExecArray, search: TextSearch): readonly Span[];
}

export interface Rule {
  type: DetectionType;
  /** Bits of `textFeatures`: a text without any of them has no match. */
  needs: number;
  /** The candidates of one text, whose matches are visited in order; takes linear time. */
  candidates(text: string): readonly Candidates[];
}

/** The tag of a detection, for example `PII_EMAIL`. */
export function toDetectionTag(type: DetectionType): string {
  return `PII_${type}`;
}

/** The work of closer checks, in addition to the characters of the text. */
export const costs = {
  /** A match of a pattern. */
  match: 15,
  /** One form of a national id number, or an IBAN, by its check digits. */
  checkDigits: 500,
  /** The check of one telephone number against the numbering plan of one country. */
  numberingPlan: 1_200,
} as const;

/** Finds the spans of a rule in a text, until the work is used up. */
export function findSpans(search: TextSearch, { candidates }: Rule): Span[] {
  const { text, work } = search;
  const spans: Span[] = [];
  for (const { pattern, extractSpans } of candidates(text)) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      if (!work.take(costs.match)) return spans;
      const next = match[0] === '' ? pattern.lastIndex + 1 : pattern.lastIndex;
      spans.push(...extractSpans(match, search));
      pattern.lastIndex = next;
    }
  }
  return spans;
}

const none: readonly Span[] = [];

/** A list of one span; empty for length 0. */
export function toSpans(start: number, length: number): readonly Span[] {
  return length === 0 ? none : [{ start, end: start + length }];
}

/**
 * Every match of a global pattern, or the span of its look-ahead group `found` where it ends in one. `measureMatch`
 * returns the number of leading characters of a match that are personal data.
 */
export function createCandidates(
  pattern: RegExp,
  measureMatch: (found: string, work: Work) => number = ({ length }) => length,
): Candidates {
  return {
    pattern,
    extractSpans(match, { work }) {
      const ahead = match.groups?.['found'];
      const start = ahead === undefined ? match.index : match.index + match[0].length;
      return toSpans(start, measureMatch(ahead ?? match[0], work));
    },
  };
}
