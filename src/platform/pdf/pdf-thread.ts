// The worker thread that draws PDFs one at a time, so that no table blocks the event loop.
import { createRequire } from 'node:module';
import { type Font, openSync } from 'fontkit';
import { answerRequests } from '../threads/answer-requests.ts';
import { createTextDrawers } from './drawable-text.ts';
import type { PdfDocument } from './pdf-document.ts';
import { FONT, type PdfDefinition, createPdfLayout } from './pdf-layout.ts';

/** The part of the library that is used. */
interface PdfMake {
  setFonts(fonts: Readonly<Record<string, object>>): void;
  setUrlAccessPolicy(allows: (url: string) => boolean): void;
  setLocalAccessPolicy(allows: (path: string) => boolean): void;
  createPdf(definition: PdfDefinition): { getBuffer(): Promise<Buffer> };
}

const require = createRequire(import.meta.url);
const pdfmake = require('pdfmake') as PdfMake;
const resolveFontFile = (name: string): string =>
  require.resolve(`pdfmake/fonts/Roboto/Roboto-${name}.ttf`);
const fonts = { normal: resolveFontFile('Regular'), bold: resolveFontFile('Medium') };

pdfmake.setFonts({ [FONT]: fonts });
// The library may fetch nothing and read no file except the fonts.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => Object.values(fonts).includes(path));

const createDrawer = createTextDrawers(findCommonCodePoints());

/** The code points for which every font has a glyph. */
function findCommonCodePoints(): number[] {
  const [first, ...others] = Object.values(fonts).map((path) => openSync(path) as Font);
  return (first?.characterSet ?? []).filter((point) =>
    others.every((font) => font.hasGlyphForCodePoint(point)),
  );
}

/** The bytes have a buffer of their own, which can be transferred. */
async function drawPdf(document: PdfDocument): Promise<Uint8Array> {
  const layout = createPdfLayout(document, createDrawer());
  return Uint8Array.from(await pdfmake.createPdf(layout).getBuffer());
}

answerRequests(drawPdf);
