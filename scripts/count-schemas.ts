// Prints how many schemas of the API document have a name, and its size in bytes, without the layout of the file.
import { renderOpenApi } from './openapi.ts';

/** The number of named schemas of a document, and its size as clients load it. */
export interface ComponentCounts {
  schemas: number;
  bytes: number;
}

export function describeComponents(document: string): ComponentCounts {
  const parsed = JSON.parse(document) as { components: { schemas: object } };
  return {
    schemas: Object.keys(parsed.components.schemas).length,
    bytes: Buffer.byteLength(JSON.stringify(parsed)),
  };
}

if (process.argv[1] === import.meta.filename) {
  const { schemas, bytes } = describeComponents(renderOpenApi());
  process.stdout.write(`${schemas} named schemas, ${bytes} bytes\n`);
}
