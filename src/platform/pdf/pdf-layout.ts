// How a PDF looks: from what it is to show to the definition that the library draws.
import type { PdfBlock, PdfDocument } from './pdf-document.ts';

/** As the library takes it; its own types need those of a browser. */
export interface PdfDefinition extends Record<string, unknown> {
  content: readonly object[];
}

/** The name under which the fonts are known to the library. */
export const FONT = 'Roboto';

/** The library breaks a word that is wider than its place in quadratic time: it never sees one of more letters. */
const LONG_WORD = /\S{24}(?=\S)/gu;
const BREAK_HERE = '\u200b';
/** Control characters but line breaks, halves of pairs, and what turns the order of a line. */
const NOT_DRAWN = /[^\P{Cc}\n]|[\p{Cs}\p{Cf}\u2028\u2029]/gu;

const MARGIN = 36;
const GREY = '#555555';

export function pdfLayout(document: PdfDocument): PdfDefinition {
  const { title, subtitle, createdAt, orientation, blocks } = document;
  return {
    info: { title, creator: 'Assay', producer: 'Assay', creationDate: createdAt },
    pageSize: 'A4',
    pageOrientation: orientation,
    pageMargins: MARGIN,
    defaultStyle: { font: FONT, fontSize: 9, lineHeight: 1.15 },
    styles: {
      title: { fontSize: 18, bold: true },
      heading: { fontSize: 12, bold: true, margin: [0, 12, 0, 4] },
      name: { bold: true },
      small: { fontSize: 7, color: GREY },
      table: { fontSize: 7 },
    },
    footer: (page: number, pages: number) => ({
      text: `${drawn(title)} · ${page} / ${pages}`,
      style: 'small',
      alignment: 'center',
      margin: [MARGIN, MARGIN / 3],
    }),
    content: [
      { text: drawn(title), style: 'title' },
      { text: drawn(subtitle), style: 'small', margin: [0, 2, 0, 8] },
      ...blocks.map(contentOf),
    ],
  };
}

function contentOf(block: PdfBlock): object {
  switch (block.kind) {
    case 'heading':
      return { text: drawn(block.text), style: 'heading' };
    case 'text':
      return { text: drawn(block.text), margin: [0, 0, 0, 6] };
    case 'values':
      return {
        layout: 'noBorders',
        table: {
          widths: [120, '*'],
          body: block.values.map(([name, text]) => [
            { text: drawn(name), style: 'name' },
            { text: drawn(text) },
          ]),
        },
      };
    case 'table':
      return {
        layout: 'lightHorizontalLines',
        style: 'table',
        table: {
          headerRows: 1,
          widths: block.columns.map(({ width }) => width ?? '*'),
          body: [
            block.columns.map(({ title: text }) => ({ text: drawn(text), style: 'name' })),
            ...block.rows.map((row) => row.map((text) => ({ text: drawn(text) }))),
          ],
        },
      };
  }
}

function drawn(text: string): string {
  return text.replaceAll(NOT_DRAWN, ' ').replaceAll(LONG_WORD, `$&${BREAK_HERE}`);
}
