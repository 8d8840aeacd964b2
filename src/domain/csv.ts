// Comma-separated values (RFC 4180) that a spreadsheet shows and does not run.
import { stringify } from 'csv-stringify/sync';

/** What a cell may hold; null and undefined leave it empty. */
export type Cell = string | number | boolean | null | undefined;

/** A formula behind spaces or characters that nobody sees; one that stands first is what the library looks for. */
const HIDDEN_FORMULA = /^[\p{Z}\p{C}]+[=+\-@＝＋－＠]/u;

/** Every text is quoted, so that no separator splits it, whichever one a spreadsheet takes. */
const OPTIONS = {
  record_delimiter: '\r\n',
  quoted_string: true,
  escape_formulas: true,
  cast: {
    boolean: String,
    string: (text: string) => (HIDDEN_FORMULA.test(text) ? `'${text}` : text),
  },
} as const;

/** The first line; with a byte order mark, or a spreadsheet that is opened by a double click takes UTF-8 for another encoding. */
export function csvHeader(columns: readonly string[]): string {
  return stringify([[...columns]], { ...OPTIONS, bom: true });
}

/** One line. A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers. */
export function csvLine(cells: readonly Cell[]): string {
  return stringify([[...cells]], OPTIONS);
}
