// Writes docs/openapi.json from the route declarations; the same declarations always give the same bytes.
import { writeFileSync } from 'node:fs';
import { generateOpenApi } from '../src/http/documents/openapi.ts';
import { mounts } from '../src/routes.ts';

/** File of the document. */
export const OPENAPI_FILE = new URL('../docs/openapi.json', import.meta.url);

/** Objects and lists without others in them, of at most this length, are written on one line. */
const LINE = 160;

export function renderOpenApi(): string {
  const text = JSON.stringify(generateOpenApi(mounts), null, 1);
  return `${text.replace(/([[{])\n([^[\]{}]*?)\n\s*([\]}])/g, joinLines)}\n`;
}

/** Joins the lines of a short object or list; strings contain no line breaks in JSON. */
function joinLines(whole: string, open: string, members: string, close: string): string {
  const line = members.replace(/\n?\s*\n\s*|^\s+/g, ' ').trim();
  if (line.length > LINE) return whole;
  return open === '{' ? `{ ${line} }` : `${open}${line}${close}`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(OPENAPI_FILE, renderOpenApi());
