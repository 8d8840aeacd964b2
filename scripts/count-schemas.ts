// Prints how many schemas of the API document have a name, and its size in bytes.
import { renderOpenApi } from './openapi.ts';

/** The number of named schemas of a document, and its size. */
export interface ComponentCounts {
  schemas: number;
  bytes: number;
}

export function describeComponents(document: string): ComponentCounts {
  const { components } = JSON.parse(document) as { components: { schemas: object } };
  return {
    schemas: Object.keys(components.schemas).length,
    bytes: Buffer.byteLength(document),
  };
}

if (process.argv[1] === import.meta.filename) {
  const { schemas, bytes } = describeComponents(renderOpenApi());
  process.stdout.write(`${schemas} named schemas, ${bytes} bytes\n`);
}
