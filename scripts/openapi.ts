// Writes docs/openapi.json from the route declarations; the same declarations always give the same bytes.
import { writeFileSync } from 'node:fs';
import renderCompactly from 'json-stringify-pretty-compact';
import { generateOpenApi } from '../src/http/documents/openapi.ts';
import { mounts } from '../src/routes.ts';

/** File of the document. */
export const OPENAPI_FILE = new URL('../docs/openapi.json', import.meta.url);

/** What fits into this width is written on one line. */
const WIDTH = 120;

export function renderOpenApi(): string {
  return `${renderCompactly(generateOpenApi(mounts), { indent: 1, maxLength: WIDTH })}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(OPENAPI_FILE, renderOpenApi());
