// Detection rules: a type of personal data, the features that a text must have, and a finder of spans (docs/scrubbing.md).
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

export interface Rule {
  type: DetectionType;
  /** Bits of `textFeatures`: in a text that has none of them, `find` finds nothing. */
  needs: number;
  /** Spans in any order, which may overlap; in linear time. What it finds when the work is used up counts for nothing. */
  find(search: TextSearch): Span[];
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

/** A text in which rules look for personal data, and the work they may cause. No more matches come when it is used up. */
export class TextSearch {
  readonly text: string;
  readonly work: Work;

  constructor(text: string, work: Work) {
    this.text = text;
    this.work = work;
  }

  /** Every match of a global pattern. A decision takes 10 us, with `matchAll`, which copies the pattern, 18 (row ingest/R1). */
  *matches(pattern: RegExp): Generator<RegExpExecArray> {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(this.text); match !== null; match = pattern.exec(this.text)) {
      if (!this.work.take(costs.match)) return;
      const next = match[0] === '' ? pattern.lastIndex + 1 : pattern.lastIndex;
      yield match;
      pattern.lastIndex = next;
    }
  }

  /**
   * Every match of a global pattern as a span; of a pattern that ends in a look-ahead group `found`, the span of that group.
   * `lengthOf` returns how many of the found characters, from the first, belong to the span; 0: no span.
   */
  spans(
    pattern: RegExp,
    lengthOf: (found: string, work: Work) => number = ({ length }) => length,
  ): Span[] {
    const spans: Span[] = [];
    for (const match of this.matches(pattern)) {
      const ahead = match.groups?.['found'];
      const start = ahead === undefined ? match.index : match.index + match[0].length;
      const length = lengthOf(ahead ?? match[0], this.work);
      if (length > 0) spans.push({ start, end: start + length });
    }
    return spans;
  }
}
