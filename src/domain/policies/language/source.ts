// Places in rule-language source, and what is wrong there.

/** Characters and tokens of a source: to read that many takes some 20 ms. Parentheses within one another. */
export const sourceLimits = { characters: 100_000, tokens: 20_000, parentheses: 64 } as const;

/** Editors write it before a text and do not show it: it is in no column. */
export const BYTE_ORDER_MARK = '\ufeff';

/** What is wrong with a source, and where: lines and columns from 1, columns in characters (UTF-16 code units). */
export interface SourceProblem {
  line: number;
  column: number;
  message: string;
}

/** Ends the parsing of a source. */
export class SourceError extends Error {
  /** Characters before it. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export function problemAt(source: string, at: number, message: string): SourceProblem {
  const before = source.slice(0, at);
  const lineBreak = before.lastIndexOf('\n');
  const isMarked = lineBreak === -1 && source.startsWith(BYTE_ORDER_MARK);
  const lineStart = isMarked ? Math.min(at, 1) : lineBreak + 1;
  return { line: before.split('\n').length, column: at - lineStart + 1, message };
}
