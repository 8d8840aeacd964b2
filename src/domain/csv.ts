// Comma-separated values (RFC 4180) that spreadsheets show without running formulas.
import { stringify } from 'csv-stringify/sync';

/** The value of a cell; null and undefined leave it empty. */
export type Cell = string | number | boolean | null | undefined;

/** A formula behind spaces or invisible characters; the library finds only those at the start. */
const HIDDEN_FORMULA = /^[\p{Z}\p{C}]+[=+\-@＝＋－＠]/u;

/** Every text is quoted, so no spreadsheet splits it at its own separator. */
const OPTIONS = {
  record_delimiter: '\r\n',
  quoted_string: true,
  escape_formulas: true,
  cast: {
    boolean: String,
    string: (text: string) => (HIDDEN_FORMULA.test(text) ? `'${text}` : text),
  },
} as const;

/** The first line, with a byte order mark: without one, spreadsheets opened by a double click misread UTF-8. */
export function formatCsvHeader(columns: readonly string[]): string {
  return stringify([[...columns]], { ...OPTIONS, bom: true });
}

/** One line. A text that looks like a formula gets an apostrophe in front; numbers stay numbers. */
export function formatCsvLine(cells: readonly Cell[]): string {
  return stringify([[...cells]], OPTIONS);
}
