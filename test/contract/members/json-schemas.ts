// JSON Schemas of inputs, followed to the place of a value.
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
