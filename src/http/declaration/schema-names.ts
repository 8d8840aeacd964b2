// Names schemas for the API document: a named schema becomes a component there, and a model of generated clients.
import { z } from 'zod';

/**
 * Documents values that no schema checks at once, such as items that are checked one by one, by the schema that checks
 * them.
 */
export const describeAs = <T extends z.ZodType>(schema: T, documented: z.ZodType): T =>
  schema.meta({ documented }) as T;

/** Names schemas, each once; what is derived from a schema (`extend`, `omit`) has no name of its own. */
export function nameSchemas(schemas: Readonly<Record<string, z.ZodType>>): void {
  for (const [id, schema] of Object.entries(schemas))
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
}
