// The text of a PDF as its reader sees it: the shown glyphs, through the character maps of their fonts.
import { inflateSync } from 'node:zlib';

/** Enough of the format for what Assay writes: one object after the other, deflated streams, hexadecimal glyphs. */
export function extractPdfText(pdf: Buffer): string {
  const objects = parseObjects(pdf);
  const fontMaps = new Map<string, Map<string, string>>();
  for (const [id, { head }] of objects) {
    const map = /\/ToUnicode (\d+) 0 R/.exec(head)?.[1];
    if (map) fontMaps.set(id, parseCharacterMap(objects.get(map)?.content ?? ''));
  }
  const fontIds = new Map<string, string>();
  for (const { head } of objects.values())
    for (const [, name = '', id = ''] of head.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fontIds.set(name, id);
  const getFontMap = (name: string) =>
    fontMaps.get(fontIds.get(name) ?? '') ?? new Map<string, string>();
  return [...objects.values()].map(({ content }) => extractShownText(content, getFontMap)).join('');
}

interface PdfObject {
  head: string;
  /** The inflated stream. */
  content: string;
}

function parseObjects(pdf: Buffer): Map<string, PdfObject> {
  const text = pdf.toString('latin1');
  const objects = new Map<string, PdfObject>();
  for (const { 1: id = '', 2: body = '' } of text.matchAll(/^(\d+) 0 obj\n(.*?)\nendobj/gms)) {
    const [head = '', stream] = body.split(/stream\n/, 2);
    const isDeflated = head.includes('/FlateDecode');
    const bytes = Buffer.from(stream?.replace(/\nendstream$/, '') ?? '', 'latin1');
    objects.set(id, { head, content: isDeflated ? inflateSync(bytes).toString('latin1') : '' });
  }
  return objects;
}

/** Glyph to text, as the ranges of the map say. */
function parseCharacterMap(map: string): Map<string, string> {
  const characters = new Map<string, string>();
  for (const [, first = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[(.*?)\]/gs))
    [...list.matchAll(/<([\w ]+)>/g)].forEach(([, units = ''], i) => {
      const glyph = (Number.parseInt(first, 16) + i).toString(16).padStart(4, '0');
      const codes = units.split(' ').map((unit) => Number.parseInt(unit, 16));
      characters.set(glyph, String.fromCharCode(...codes));
    });
  return characters;
}

/** One piece after the other, as they are drawn. */
function extractShownText(content: string, mapOf: (font: string) => Map<string, string>): string {
  let map = new Map<string, string>();
  let shown = '';
  for (const [, font, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9a-f]+)>/g)) {
    if (font) map = mapOf(font);
    else for (const glyph of glyphs?.match(/.{4}/g) ?? []) shown += map.get(glyph) ?? '';
  }
  return shown;
}
