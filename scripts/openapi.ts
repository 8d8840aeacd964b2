// Writes docs/openapi.json from the route declarations; the same declarations always give the same bytes.
import { writeFileSync } from 'node:fs';
import { generateOpenApi } from '../src/http/documents/openapi.ts';
import { mounts } from '../src/routes.ts';

/** File of the document. */
export const OPENAPI_FILE = new URL('../docs/openapi.json', import.meta.url);

export function renderOpenApi(): string {
  return `${JSON.stringify(generateOpenApi(mounts), null, 2)}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(OPENAPI_FILE, renderOpenApi());
