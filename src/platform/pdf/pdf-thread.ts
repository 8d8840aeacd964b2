// The worker thread that draws PDFs one at a time, so that no table blocks the event loop.
import '../background-thread.ts';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { type Font, openSync } from 'fontkit';
import { createTextDrawers } from './drawable-text.ts';
import type { PdfDocument } from './pdf-document.ts';
import { FONT, type PdfDefinition, createPdfLayout } from './pdf-layout.ts';

export type PdfResult = { value: Uint8Array<ArrayBuffer> } | { error: unknown };

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

async function drawPdf(document: PdfDocument): Promise<void> {
  try {
    const value = Uint8Array.from(
      await pdfmake.createPdf(createPdfLayout(document, createDrawer())).getBuffer(),
    );
    parentPort?.postMessage({ value } satisfies PdfResult, [value.buffer]);
  } catch (error) {
    parentPort?.postMessage({ error } satisfies PdfResult);
  }
}

parentPort?.on('message', (document: PdfDocument) => void drawPdf(document));
parentPort?.postMessage('ready');
