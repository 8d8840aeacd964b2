// What a PDF is to show, as data that a thread can be handed: titles, texts, named values and tables, never markup.

export interface PdfDocument {
  title: string;
  /** Below the title: of whom, from when. */
  subtitle: string;
  /** Said to be the moment of its making. */
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
  /** In points; absent: an equal part of what is left. */
  width?: number;
}
