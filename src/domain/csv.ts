// Comma-separated values (RFC 4180) that a spreadsheet shows and does not run.
import { stringify } from 'csv-stringify/sync';

/** What a cell may hold; null and undefined leave it empty. */
export type Cell = string | number | boolean | null | undefined;

/** A formula behind spaces or characters that nobody sees; one that stands first is what the library looks for. */
const HIDDEN_FORMULA = /^[\p{Z}\p{C}]+[=+\-@＝＋－＠]/u;

const OPTIONS = {
  record_delimiter: '\r\n',
  quoted_match: /[\r\n]/,
  escape_formulas: true,
  cast: {
    boolean: String,
    string: (text: string) => (HIDDEN_FORMULA.test(text) ? `'${text}` : text),
  },
} as const;

/** One line. A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers. */
export function csvLine(cells: readonly Cell[]): string {
  return stringify([[...cells]], OPTIONS);
}
