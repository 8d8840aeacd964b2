// The layout of PDFs: turns a document into the definition that the library draws.
import type { TextDrawer } from './drawable-text.ts';
import type { PdfBlock, PdfDocument } from './pdf-document.ts';

/** The library's document definition; its own types need DOM types. */
export interface PdfDefinition extends Record<string, unknown> {
  content: readonly object[];
}

/** The font family that is registered with the library. */
export const FONT = 'Roboto';

const MARGIN = 36;
const GREY = '#555555';
const STYLES = {
  title: { fontSize: 18, bold: true },
  heading: { fontSize: 12, bold: true, margin: [0, 12, 0, 4] },
  name: { bold: true },
  small: { fontSize: 7, color: GREY },
  table: { fontSize: 7 },
};
const REPLACED =
  'Characters that the fonts of this document do not have are written as their code points, such as [U+6F22].';

export function createPdfLayout(document: PdfDocument, drawer: TextDrawer): PdfDefinition {
  const { title, subtitle, createdAt, orientation, blocks } = document;
  const [drawnTitle, drawnSubtitle] = [drawer.draw(title), drawer.draw(subtitle)];
  const content = blocks.map((block) => renderBlock(block, drawer));
  return {
    info: { title, creator: 'Assay', producer: 'Assay', creationDate: createdAt },
    pageSize: 'A4',
    pageOrientation: orientation,
    pageMargins: MARGIN,
    defaultStyle: { font: FONT, fontSize: 9, lineHeight: 1.15 },
    styles: STYLES,
    footer: (page: number, pages: number) => ({
      text: `${drawnTitle} · ${page} / ${pages}`,
      style: 'small',
      alignment: 'center',
      margin: [MARGIN, MARGIN / 3],
    }),
    content: [
      { text: drawnTitle, style: 'title' },
      { text: drawnSubtitle, style: 'small', margin: [0, 2, 0, 8] },
      ...(drawer.hasReplaced ? [{ text: REPLACED, style: 'small', margin: [0, 0, 0, 8] }] : []),
      ...content,
    ],
  };
}

function renderBlock(block: PdfBlock, { draw }: TextDrawer): object {
  switch (block.kind) {
    case 'heading':
      return { text: draw(block.text), style: 'heading' };
    case 'text':
      return { text: draw(block.text), margin: [0, 0, 0, 6] };
    case 'values':
      return {
        layout: 'noBorders',
        table: {
          widths: [120, '*'],
          body: block.values.map(([name, text]) => [
            { text: draw(name), style: 'name' },
            { text: draw(text) },
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
            block.columns.map(({ title: text }) => ({ text: draw(text), style: 'name' })),
            ...block.rows.map((row) => row.map((text) => ({ text: draw(text) }))),
          ],
        },
      };
  }
}
