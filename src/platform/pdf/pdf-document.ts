// The contents of a PDF as data for a thread: titles, texts, named values and tables, never markup.

export interface PdfDocument {
  title: string;
  /** Line below the title: owner and date. */
  subtitle: string;
  /** Creation date in the metadata. */
  createdAt: Date;
  orientation: 'portrait' | 'landscape';
  blocks: readonly PdfBlock[];
}

export type PdfBlock = PdfHeading | PdfText | PdfValues | PdfTable;

interface PdfHeading {
  kind: 'heading';
  text: string;
}

/** Line breaks are kept. */
interface PdfText {
  kind: 'text';
  text: string;
}

interface PdfValues {
  kind: 'values';
  values: readonly (readonly [name: string, value: string])[];
}

/** The headings of its columns are repeated on every page. */
interface PdfTable {
  kind: 'table';
  columns: readonly PdfColumn[];
  rows: readonly (readonly string[])[];
}

interface PdfColumn {
  title: string;
  /** Width in points; absent: an equal part of the remaining width. */
  width?: number;
}
