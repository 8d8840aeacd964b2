// SCIM filters applied to resources (RFC 7644, section 3.4.2.2): resolved against the schema first, evaluated in memory afterwards.
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
} from './schema.ts';

/** Of a resource or an element of one, as it is shown. */
export type Predicate = (resource: object) => boolean;

/** A filter that names only what is there. */
export interface Filter {
  matches: Predicate;
  /** The text that the filter demands of a plain attribute with `eq`; undefined when it demands none. Spares reading everybody. */
  demanded(attribute: string): string | undefined;
}

/**
 * Compiles a filter. A comparison holds when some value of the attribute fulfils it; an attribute without a value counts as null.
 * @throws ScimFilterError for text that is no filter, unknown attributes, and operators or values that do not suit an attribute
 */
export function compileFilter(source: string, schema: ResourceSchema): Filter {
  const tree = parseFilter(source);
  return { matches: predicateOf(tree, schema), demanded: (name) => demandedIn(tree, schema, name) };
}

/** The predicate of a tree. @throws ScimFilterError */
export function predicateOf(tree: FilterTree, schema: ResourceSchema): Predicate {
  switch (tree.op) {
    case 'and': {
      const parts = tree.of.map((part) => predicateOf(part, schema));
      return (resource) => parts.every((part) => part(resource));
    }
    case 'or': {
      const parts = tree.of.map((part) => predicateOf(part, schema));
      return (resource) => parts.some((part) => part(resource));
    }
    case 'not': {
      const inner = predicateOf(tree.of, schema);
      return (resource) => !inner(resource);
    }
    case 'some':
      return someElement(attributeAt(schema, tree.path).attribute, tree.of);
    case 'pr': {
      const path = attributeAt(schema, tree.path);
      return (resource) => valuesAt(resource, path).length > 0;
    }
    default:
      return comparison(comparable(attributeAt(schema, tree.path), tree.path), tree);
  }
}

/** Holds when one element of a complex attribute fulfils all of the filter. */
function someElement(attribute: Attribute, filter: FilterTree): Predicate {
  const matches = predicateOf(filter, elementSchema(attribute));
  return (resource) =>
    elementsOf(resource, attribute).some((element) => matches(element as object));
}

function comparison(
  path: AttributePath,
  { op, value: literal }: { op: Comparison; value: Literal },
): Predicate {
  const test = testOf(path.sub ?? path.attribute, op, literal);
  return (resource) => {
    const values = valuesAt(resource, path);
    return values.length === 0 ? test(null) : values.some((value) => test(value as Literal));
  };
}

/** The elements of a complex attribute as resources of their own. @throws ScimFilterError for an attribute without parts */
export function elementSchema({ name, subAttributes }: Attribute): ResourceSchema {
  if (!subAttributes) throw new ScimFilterError(`${name} has no parts`);
  return { id: name, name, description: name, attributes: subAttributes };
}

function attributeAt(schema: ResourceSchema, path: string): AttributePath {
  const found = findAttribute(schema, path);
  if (!found) throw new ScimFilterError(`${path.slice(0, 80)} is no attribute`);
  return found;
}

/** A multi-valued complex attribute is compared by its `value` (RFC 7644, section 3.4.2.2: `emails co "example.com"`). */
function comparable({ attribute, sub }: AttributePath, path: string): AttributePath {
  if (sub !== null || attribute.type !== 'complex') return { attribute, sub };
  const value = attribute.multiValued
    ? attribute.subAttributes?.find(({ name }) => name === 'value')
    : undefined;
  if (!value) throw new ScimFilterError(`${path} cannot be compared as a whole`);
  return { attribute, sub: value };
}

function elementsOf(resource: object, { name }: Attribute): unknown[] {
  const value = (resource as Readonly<Record<string, unknown>>)[name];
  return value === undefined || value === null ? [] : [value].flat();
}

function valuesAt(resource: object, { attribute, sub }: AttributePath): unknown[] {
  const elements = elementsOf(resource, attribute);
  return sub ? elements.flatMap((element) => elementsOf(element as object, sub)) : elements;
}

type Test = (value: Literal) => boolean;

function testOf(attribute: Attribute, op: Comparison, literal: Literal): Test {
  if (literal === null) {
    if (op === 'eq') return (value) => value === null;
    if (op === 'ne') return (value) => value !== null;
    throw new ScimFilterError(`${op} needs a value`);
  }
  if (attribute.type === 'boolean') return booleanTest(attribute, op, literal);
  if (typeof literal !== 'string')
    throw new ScimFilterError(`${attribute.name} is compared with a text`);
  return attribute.type === 'dateTime'
    ? instantTest(attribute, op, literal)
    : textTest(attribute, op, literal);
}

/** `"True"` and `"False"` count as booleans, as in the requests of Entra. */
function booleanTest(
  { name }: Attribute,
  op: Comparison,
  literal: string | number | boolean,
): Test {
  const wanted = { true: true, false: false }[String(literal).toLowerCase()];
  if (wanted === undefined || typeof literal === 'number')
    throw new ScimFilterError(`${name} is compared with true or false`);
  if (op === 'eq') return (value) => value === wanted;
  if (op === 'ne') return (value) => value !== wanted;
  throw new ScimFilterError(`${op} does not suit ${name}`);
}

function instantTest({ name }: Attribute, op: Comparison, literal: string): Test {
  const wanted = Date.parse(literal);
  if (Number.isNaN(wanted)) throw new ScimFilterError(`${name} is compared with a date and time`);
  if (op === 'co' || op === 'sw' || op === 'ew')
    throw new ScimFilterError(`${op} does not suit ${name}`);
  return (value) => ordered(op, value === null ? null : Date.parse(String(value)), wanted);
}

function textTest({ caseExact }: Attribute, op: Comparison, literal: string): Test {
  const fold = (text: string): string => (caseExact ? text : text.toLowerCase());
  const wanted = fold(literal);
  return (given) => {
    const value = given === null ? null : fold(String(given));
    if (op === 'co') return value?.includes(wanted) ?? false;
    if (op === 'sw') return value?.startsWith(wanted) ?? false;
    if (op === 'ew') return value?.endsWith(wanted) ?? false;
    return ordered(op, value, wanted);
  };
}

/** What is not there differs from everything and comes neither before nor after it. */
function ordered<T extends string | number>(
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

function demandedIn(tree: FilterTree, schema: ResourceSchema, name: string): string | undefined {
  if (tree.op === 'and')
    return tree.of.map((part) => demandedIn(part, schema, name)).find((text) => text !== undefined);
  if (tree.op !== 'eq' || typeof tree.value !== 'string') return undefined;
  const place = findAttribute(schema, tree.path);
  return place?.attribute.name === name && place.sub === null ? tree.value : undefined;
}
