// SCIM filters (RFC 7644, section 3.4.2.2): compiled against a schema, evaluated on resources in memory.
import { truncate } from '@assay/json';
import {
  parseFilter,
  ScimFilterError,
  type Comparison,
  type FilterTree,
  type Literal,
} from './grammar.ts';
import {
  findAttribute,
  type Attribute,
  type AttributePath,
  type ResourceSchema,
  type FoldCase,
} from './schema.ts';

/** Tests a resource as returned, or an element of one. */
export type Predicate = (resource: object) => boolean;

/** A compiled filter. */
export interface Filter {
  matches: Predicate;
  /** The text that a simple attribute must equal for any match, used in a query; undefined when there is none. */
  requiredValue(attribute: string): string | undefined;
}

/**
 * Compiles a filter. A comparison matches when any value of the attribute does; an attribute without a value is
 * compared as null.
 * @throws ScimFilterError for malformed filters, unknown attributes, and operators or values that the attribute does
 * not support
 */
export function compileFilter(source: string, schema: ResourceSchema): Filter {
  const tree = parseFilter(source);
  return {
    matches: createPredicate(tree, schema),
    requiredValue: (name) => findRequiredValue(tree, schema, name),
  };
}

/** The predicate of a tree. @throws ScimFilterError */
export function createPredicate(tree: FilterTree, schema: ResourceSchema): Predicate {
  switch (tree.op) {
    case 'and': {
      const parts = tree.of.map((part) => createPredicate(part, schema));
      return (resource) => parts.every((part) => part(resource));
    }
    case 'or': {
      const parts = tree.of.map((part) => createPredicate(part, schema));
      return (resource) => parts.some((part) => part(resource));
    }
    case 'not': {
      const inner = createPredicate(tree.of, schema);
      return (resource) => !inner(resource);
    }
    case 'some':
      return createElementPredicate(requireAttribute(schema, tree.path).attribute, tree.of, schema);
    case 'pr': {
      const path = requireAttribute(schema, tree.path);
      return (resource) => listValues(resource, path).length > 0;
    }
    default:
      return createComparison(
        toComparablePath(requireAttribute(schema, tree.path), tree.path),
        tree,
        schema.foldCase,
      );
  }
}

/** Matches when a single element of a complex attribute matches the whole filter. */
function createElementPredicate(
  attribute: Attribute,
  filter: FilterTree,
  schema: ResourceSchema,
): Predicate {
  const matches = createPredicate(filter, toElementSchema(attribute, schema));
  return (resource) =>
    listElements(resource, attribute).some((element) => matches(element as object));
}

function createComparison(
  path: AttributePath,
  { op, value: literal }: { op: Comparison; value: Literal },
  foldCase: FoldCase | undefined,
): Predicate {
  const test = createTest(path.sub ?? path.attribute, { op, literal, foldCase });
  return (resource) => {
    const values = listValues(resource, path);
    return values.length === 0 ? test(null) : values.some((value) => test(value as Literal));
  };
}

/** The schema of the elements of a complex attribute. @throws ScimFilterError for one without sub-attributes */
export function toElementSchema(
  { name, subAttributes }: Attribute,
  { foldCase }: Pick<ResourceSchema, 'foldCase'>,
): ResourceSchema {
  if (!subAttributes) throw new ScimFilterError(`${name} has no sub-attributes`);
  return {
    id: name,
    name,
    description: name,
    attributes: subAttributes,
    ...(foldCase && { foldCase }),
  };
}

function requireAttribute(schema: ResourceSchema, path: string): AttributePath {
  const found = findAttribute(schema, path);
  if (!found) throw new ScimFilterError(`unknown attribute ${truncate(path, 80)}`);
  return found;
}

/**
 * A multi-valued complex attribute is compared by its sub-attribute `value` (RFC 7644, section 3.4.2.2: `emails co
 * "example.com"`).
 */
function toComparablePath({ attribute, sub }: AttributePath, path: string): AttributePath {
  if (sub !== null || attribute.type !== 'complex') return { attribute, sub };
  const value = attribute.multiValued
    ? attribute.subAttributes?.find(({ name }) => name === 'value')
    : undefined;
  if (!value) throw new ScimFilterError(`${path} is complex and cannot be compared`);
  return { attribute, sub: value };
}

function listElements(resource: object, { name }: Attribute): unknown[] {
  const value = (resource as Readonly<Record<string, unknown>>)[name];
  return value === undefined || value === null ? [] : [value].flat();
}

function listValues(resource: object, { attribute, sub }: AttributePath): unknown[] {
  const elements = listElements(resource, attribute);
  return sub ? elements.flatMap((element) => listElements(element as object, sub)) : elements;
}

type Test = (value: Literal) => boolean;

interface Asked {
  op: Comparison;
  literal: Literal;
  foldCase: FoldCase | undefined;
}

function createTest(attribute: Attribute, { op, literal, foldCase }: Asked): Test {
  if (literal === null) {
    if (op === 'eq') return (value) => value === null;
    if (op === 'ne') return (value) => value !== null;
    throw new ScimFilterError(`${op} requires a value`);
  }
  if (attribute.type === 'boolean') return createBooleanTest(attribute, op, literal);
  if (typeof literal !== 'string')
    throw new ScimFilterError(`${attribute.name} must be compared with a string`);
  return attribute.type === 'dateTime'
    ? createInstantTest(attribute, op, literal)
    : createTextTest(attribute.caseExact ? (text) => text : (foldCase ?? toLowerCase), op, literal);
}

/** Entra sends booleans as `"True"` and `"False"`. */
function createBooleanTest(
  { name }: Attribute,
  op: Comparison,
  literal: string | number | boolean,
): Test {
  const wanted = { true: true, false: false }[String(literal).toLowerCase()];
  if (wanted === undefined || typeof literal === 'number')
    throw new ScimFilterError(`${name} must be compared with true or false`);
  if (op === 'eq') return (value) => value === wanted;
  if (op === 'ne') return (value) => value !== wanted;
  throw new ScimFilterError(`${name} does not support ${op}`);
}

function createInstantTest({ name }: Attribute, op: Comparison, literal: string): Test {
  const wanted = Date.parse(literal);
  if (Number.isNaN(wanted)) throw new ScimFilterError(`${name} must be compared with a dateTime`);
  if (op === 'co' || op === 'sw' || op === 'ew')
    throw new ScimFilterError(`${name} does not support ${op}`);
  return (value) => compare(op, value === null ? null : Date.parse(String(value)), wanted);
}

const toLowerCase: FoldCase = (text) => text.toLowerCase();

function createTextTest(foldCase: FoldCase, op: Comparison, literal: string): Test {
  const wanted = foldCase(literal);
  return (actual) => {
    const value = actual === null ? null : foldCase(String(actual));
    if (op === 'co') return value?.includes(wanted) ?? false;
    if (op === 'sw') return value?.startsWith(wanted) ?? false;
    if (op === 'ew') return value?.endsWith(wanted) ?? false;
    return compare(op, value, wanted);
  };
}

/** An absent value is not equal to any other, and neither before nor after it. */
function compare<T extends string | number>(
  op: Exclude<Comparison, 'co' | 'sw' | 'ew'>,
  value: T | null,
  wanted: T,
): boolean {
  if (value === null) return op === 'ne';
  switch (op) {
    case 'eq':
      return value === wanted;
    case 'ne':
      return value !== wanted;
    case 'gt':
      return value > wanted;
    case 'ge':
      return value >= wanted;
    case 'lt':
      return value < wanted;
    case 'le':
      return value <= wanted;
  }
}

function findRequiredValue(
  tree: FilterTree,
  schema: ResourceSchema,
  name: string,
): string | undefined {
  if (tree.op === 'and')
    return tree.of
      .map((part) => findRequiredValue(part, schema, name))
      .find((text) => text !== undefined);
  if (tree.op !== 'eq' || typeof tree.value !== 'string') return undefined;
  const found = findAttribute(schema, tree.path);
  return found?.attribute.name === name && found.sub === null ? tree.value : undefined;
}
