// The worker thread that draws PDFs one at a time, so that no table holds up the event loop.
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { type Font, openSync } from 'fontkit';
import { lowerThreadPriority } from '../thread-priority.ts';
import { createTextDrawers } from './drawable-text.ts';
import type { PdfDocument } from './pdf-document.ts';
import { FONT, type PdfDefinition, pdfLayout } from './pdf-layout.ts';

export type PdfResult = { value: Uint8Array<ArrayBuffer> } | { error: unknown };

/** What is used of the library. */
interface PdfMake {
  setFonts(fonts: Readonly<Record<string, object>>): void;
  setUrlAccessPolicy(allows: (url: string) => boolean): void;
  setLocalAccessPolicy(allows: (path: string) => boolean): void;
  createPdf(definition: PdfDefinition): { getBuffer(): Promise<Buffer> };
}

const require = createRequire(import.meta.url);
const pdfmake = require('pdfmake') as PdfMake;
const fontFile = (name: string): string =>
  require.resolve(`pdfmake/fonts/Roboto/Roboto-${name}.ttf`);
const fonts = { normal: fontFile('Regular'), bold: fontFile('Medium') };

pdfmake.setFonts({ [FONT]: fonts });
// Nothing is fetched, and of files the fonts alone are read.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => Object.values(fonts).includes(path));
lowerThreadPriority();

const createDrawer = createTextDrawers(commonCodePoints());

/** Those that every font has. */
function commonCodePoints(): number[] {
  const [first, ...others] = Object.values(fonts).map((path) => openSync(path) as Font);
  return (first?.characterSet ?? []).filter((point) =>
    others.every((font) => font.hasGlyphForCodePoint(point)),
  );
}

async function draw(document: PdfDocument): Promise<void> {
  try {
    const value = Uint8Array.from(
      await pdfmake.createPdf(pdfLayout(document, createDrawer())).getBuffer(),
    );
    parentPort?.postMessage({ value } satisfies PdfResult, [value.buffer]);
  } catch (error) {
    parentPort?.postMessage({ error } satisfies PdfResult);
  }
}

parentPort?.on('message', (document: PdfDocument) => void draw(document));
parentPort?.postMessage('ready');
