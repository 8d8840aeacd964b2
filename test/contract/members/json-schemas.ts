// JSON Schemas of inputs, followed to the place of a value.
import { z } from 'zod';
import type { Path } from '../paths.ts';

export interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
}

export const listBranches = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

/** Metadata of schemas without their names: what is converted by it refers to nothing but itself. */
const withoutNames = {
  get(schema: z.core.$ZodType): z.GlobalMeta | undefined {
    const { id: _name, ...members } = z.globalRegistry.get(schema) ?? {};
    return Object.keys(members).length === 0 ? undefined : members;
  },
} as z.core.$ZodRegistry<z.GlobalMeta>;

/** Converts a schema whole: what has a name in the API document is written out. */
export const convertWhole = (schema: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    metadata: withoutNames,
    override({ zodSchema, jsonSchema }) {
      const { default: fallback, documented } = withoutNames.get(zodSchema) ?? {};
      if (fallback !== undefined) jsonSchema.default = fallback;
      if (!(documented instanceof z.ZodType)) return;
      const { $schema: _dialect, ...whole } = convertWhole(documented, io) as { $schema?: string };
      delete jsonSchema.documented;
      Object.assign(jsonSchema, whole);
    },
  }) as Schema;

/** Every schema that a value at `path` may meet. */
export function findSchemas(schema: Schema, path: Path): Schema[] {
  const here = [schema, ...listBranches(schema).flatMap((branch) => findSchemas(branch, []))];
  const [step, ...rest] = path;
  if (step === undefined) return here;
  return here.flatMap(({ items, properties }) => {
    const next = typeof step === 'number' ? items : properties?.[step];
    return next ? findSchemas(next, rest) : [];
  });
}
