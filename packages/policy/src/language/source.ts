// Limits, positions and problems of rule-language source.

/** Characters, tokens and nested parentheses of a source; the largest takes some 20 ms to read. */
export const sourceLimits = { characters: 100_000, tokens: 20_000, parentheses: 64 } as const;

/** Editors write it invisibly before a text, so it counts for no column. */
export const BYTE_ORDER_MARK = '\ufeff';

/** A problem of a source: lines and columns count from 1, columns in UTF-16 code units. */
export interface SourceProblem {
  line: number;
  column: number;
  message: string;
}

/** Ends the parsing of a source. */
export class SourceError extends Error {
  /** The offset in the source. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export function toSourceProblem(source: string, at: number, message: string): SourceProblem {
  const before = source.slice(0, at);
  const lineBreak = before.lastIndexOf('\n');
  const isMarked = lineBreak === -1 && source.startsWith(BYTE_ORDER_MARK);
  const lineStart = isMarked ? Math.min(at, 1) : lineBreak + 1;
  return { line: before.split('\n').length, column: at - lineStart + 1, message };
}
