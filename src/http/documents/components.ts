// Collects what operations of the API document share: named schemas, parameters and responses.
import { z } from 'zod';

/** A JSON Schema, or another object of the document. */
export type Schema = Record<string, unknown>;

/** The components of one document. */
export interface Components {
  /** Converts a schema; schemas that have names, in it or itself, are referred to. */
  describeSchema(schema: z.ZodType, io: 'input' | 'output'): Schema;
  /** The members of an object schema, whether or not it has a name. */
  describeMembers(schema: z.ZodType, io: 'input' | 'output'): Members;
  /** Adds an object under a name, and returns the reference to it; one name has one meaning. */
  share(section: Section, name: string, shared: object): Schema;
  /** Lists the shared objects of a section by name. */
  listShared(section: Section): Record<string, object>;
}

/** The members of an object schema. */
export interface Members {
  properties: Record<string, Schema>;
  required: readonly string[];
}

type Section = 'schemas' | 'parameters' | 'responses';

const JSON_VALUE = '#/components/schemas/Json';

interface Converted {
  zodSchema: z.core.$ZodType;
  jsonSchema: Schema;
}

/** Restores the default, which the converter drops for transformed schemas. */
function keepDefault({ zodSchema, jsonSchema }: Converted) {
  const { default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
  if (fallback !== undefined) jsonSchema.default = fallback;
}

/** Omits patterns with classes of Unicode, which not every validator knows: the description says what they ask for. */
function omitUnicodePatterns({ jsonSchema }: Converted) {
  const isKnown = ({ pattern }: Schema): boolean => !String(pattern).includes('\\p{');
  if (!isKnown(jsonSchema)) delete jsonSchema.pattern;
  if (Array.isArray(jsonSchema.allOf))
    jsonSchema.allOf = (jsonSchema.allOf as Schema[]).filter(isKnown);
}

/** Omits what the format, or JSON itself, says already. */
function omitWhatIsSaid({ jsonSchema }: Converted) {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}')
    delete jsonSchema.propertyNames;
}

/** Puts the schema of a value that is checked elsewhere in its place; returns the named schemas in it. */
function describeDocumented({ zodSchema, jsonSchema }: Converted, io: 'input' | 'output'): object {
  const { documented } = z.globalRegistry.get(zodSchema) ?? {};
  if (!(documented instanceof z.ZodType)) return {};
  delete jsonSchema.documented;
  const { $schema: _dialect, $defs = {}, ...root } = convert(documented, io);
  Object.assign(jsonSchema, root);
  return $defs as object;
}

/** Every integer of JSON has these bounds: to say them says nothing. */
const SAFE_BOUNDS = /,"(minimum|maximum)":-?9007199254740991(?=[,}])/g;

function convert(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const documented: Schema = {};
  const converted = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override(node) {
      keepDefault(node);
      omitUnicodePatterns(node);
      omitWhatIsSaid(node);
      Object.assign(documented, describeDocumented(node, io));
    },
  });
  return { ...converted, $defs: { ...documented, ...converted.$defs } };
}

/** Converts a zod schema to JSON Schema for OpenAPI 3.1. The only recursive schema is `z.json()`, which all share. */
function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): { root: Schema; named: [name: string, schema: Schema][] } {
  const text = JSON.stringify(convert(schema, io))
    .replace(/"\$ref":"#(\/\$defs\/__schema\d+)?"/g, `"$ref":"${JSON_VALUE}"`)
    .replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')
    .replaceAll(SAFE_BOUNDS, '');
  const { $schema: _dialect, $defs = {}, ...root } = JSON.parse(text) as Schema;
  const named = Object.entries($defs as Record<string, Schema>);
  return { root, named: named.filter(([name]) => !name.startsWith('__schema')) };
}

export function createComponents(): Components {
  const sections: Record<Section, Map<string, object>> = {
    schemas: new Map(),
    parameters: new Map(),
    responses: new Map(),
  };

  function share(section: Section, name: string, shared: object): Schema {
    const known = sections[section].get(name) ?? shared;
    if (JSON.stringify(known) !== JSON.stringify(shared))
      throw new Error(`${name} means two things: name the schemas of inputs and views apart`);
    sections[section].set(name, shared);
    return { $ref: `#/components/${section}/${name}` };
  }

  function describeSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { root, named } = toJsonSchema(schema, io);
    for (const [name, shared] of named) share('schemas', name, shared);
    return root;
  }

  function describeMembers(schema: z.ZodType, io: 'input' | 'output'): Members {
    const root = describeSchema(schema, io);
    if ('$ref' in root) throw new Error('the members of a named schema are read where it is');
    const { properties = {}, required = [] } = root as Partial<Members>;
    return { properties, required };
  }

  const listShared = (section: Section): Record<string, object> =>
    Object.fromEntries([...sections[section]].sort(([a], [b]) => (a < b ? -1 : 1)));

  return { describeSchema, describeMembers, share, listShared };
}
