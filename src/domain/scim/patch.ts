// SCIM patches (RFC 7644, section 3.5.2), applied to a copy: only places that the schema lets a client write are ever touched.
import type { Json, JsonObject } from '../record/json.ts';
import { elementSchema, predicateOf, type Predicate } from './filter.ts';
import { parseTarget, ScimFilterError, type FilterTree } from './grammar.ts';
import { canonicalMembers, findAttribute, type Attribute, type ResourceSchema } from './schema.ts';

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path?: string | undefined;
  value?: Json | undefined;
}

/** An operation that cannot be carried out. */
export class ScimPatchError extends Error {}

/** Where an operation writes. */
interface Aim {
  attribute: Attribute;
  sub: Attribute | null;
  /** Which elements of a multi-valued attribute; null: the attribute as a whole. */
  selects: Predicate | null;
  /** What a new element begins with when none is selected; null: nothing says it. */
  template: JsonObject | null;
}

type Change = Pick<PatchOperation, 'op' | 'value'>;

/**
 * The resource after all operations, in order; the given one is left as it is. Values are not checked here beyond their shape.
 * @throws ScimPatchError for a path that leads nowhere or to what cannot be written, and for a value that does not suit it
 */
export function applyPatch(
  resource: JsonObject,
  operations: readonly PatchOperation[],
  schema: ResourceSchema,
): JsonObject {
  return operations.reduce(
    (current, operation) => applyOperation(current, operation, schema),
    resource,
  );
}

function applyOperation(
  resource: JsonObject,
  { op, path, value }: PatchOperation,
  schema: ResourceSchema,
): JsonObject {
  if (op !== 'remove' && value === undefined) throw new ScimPatchError(`${op} needs a value`);
  if (path !== undefined) {
    const aim = aimAt(schema, path);
    if (!aim) throw new ScimPatchError(`${path.slice(0, 80)} is no attribute that can be written`);
    return write(resource, aim, { op, value });
  }
  if (op === 'remove') throw new ScimPatchError('remove needs a path');
  if (!isObject(value))
    throw new ScimPatchError('without a path the value is a part of the resource');
  // Entra writes paths in place of names; what is unknown is passed over, as in a whole resource.
  return Object.entries(value).reduce((current, [name, member]) => {
    const aim = aimAt(schema, name);
    return aim ? write(current, aim, { op, value: member }) : current;
  }, resource);
}

/** Null for text that is no path, and for what is not there or not a client's to write. */
function aimAt(schema: ResourceSchema, path: string): Aim | null {
  try {
    const target = parseTarget(path);
    const place = findAttribute(
      schema,
      target.sub === null ? target.path : `${target.path}.${target.sub}`,
    );
    if (!place || [place.attribute, place.sub].some((part) => part?.mutability === 'readOnly'))
      return null;
    const manyValued = place.attribute.multiValued;
    // Which element's part is meant must be said: `emails.value` would write to all of them.
    if (target.of === null)
      return manyValued && place.sub !== null ? null : { ...place, selects: null, template: null };
    if (!manyValued || (target.sub === null && place.sub !== null)) return null;
    const elements = elementSchema(place.attribute);
    return {
      ...place,
      selects: predicateOf(target.of, elements),
      template: templateOf(target.of, elements),
    };
  } catch (error) {
    if (error instanceof ScimFilterError) return null;
    throw error;
  }
}

/** `type eq "work"` says what an element that is missing would look like. */
function templateOf(tree: FilterTree, elements: ResourceSchema): JsonObject | null {
  if (tree.op === 'eq') {
    const place = findAttribute(elements, tree.path);
    return place && place.sub === null ? { [place.attribute.name]: tree.value } : null;
  }
  if (tree.op !== 'and') return null;
  const parts = tree.of.map((part) => templateOf(part, elements));
  return parts.every((part) => part !== null) ? Object.assign({}, ...parts) : null;
}

function write(resource: JsonObject, aim: Aim, change: Change): JsonObject {
  const { attribute, sub, selects } = aim;
  const { name } = attribute;
  const present = resource[name];
  if (attribute.multiValued) {
    const list = Array.isArray(present) ? present : [];
    const changed =
      selects === null ? wholeList(list, attribute, change) : elements(list, aim, change);
    return { ...resource, [name]: changed };
  }
  if (sub !== null)
    return { ...resource, [name]: withPart(isObject(present) ? present : {}, sub, change) };
  if (attribute.type !== 'complex' || clears(change)) return withPart(resource, attribute, change);
  return { ...resource, [name]: merged(present, attribute, change) };
}

/** Null takes a value away (RFC 7643, section 2.5). */
const clears = ({ op, value }: Change): boolean => op === 'remove' || value === null;

function withPart(holder: JsonObject, part: Attribute, change: Change): JsonObject {
  return clears(change) ? without(holder, part) : { ...holder, [part.name]: change.value ?? null };
}

function without(holder: JsonObject, { name, required }: Attribute): JsonObject {
  if (required || name === 'active') throw new ScimPatchError(`${name} cannot be removed`);
  const { [name]: _gone, ...rest } = holder;
  return rest;
}

/** The parts that the value names are replaced, the others stay. */
function merged(
  present: Json | undefined,
  { name, subAttributes = [] }: Attribute,
  { value }: Change,
): JsonObject {
  if (!isObject(value)) throw new ScimPatchError(`${name} is an object`);
  return {
    ...(isObject(present) ? present : {}),
    ...(canonicalMembers(subAttributes, value) as JsonObject),
  };
}

/** Add appends what is not there yet, replace takes the place of all, remove takes away what is named, or all. */
function wholeList(
  list: Json[],
  { name, subAttributes = [] }: Attribute,
  { op, value }: Change,
): Json[] {
  if (value === undefined || value === null) return [];
  const items = [value].flat().map((item) => canonicalMembers(subAttributes, item) as Json);
  if (!items.every(isObject)) throw new ScimPatchError(`${name} is a list of objects`);
  if (op === 'replace') return items;
  const kept = list.filter((old) => !items.some((item) => sameValue(old, item)));
  return op === 'remove'
    ? kept
    : [...list.filter((old) => !items.some((item) => sameElement(old, item))), ...items];
}

const valueOf = (element: Json): string =>
  isObject(element) && typeof element.value === 'string' ? element.value.toLowerCase() : '';
const sameValue = (one: Json, other: Json): boolean => valueOf(one) === valueOf(other);
const sameElement = (one: Json, other: Json): boolean =>
  sameValue(one, other) && isObject(one) && isObject(other) && one.type === other.type;

/** Changes the elements that are selected, or begins a new one when there is none. */
function elements(
  list: Json[],
  { attribute, sub, selects, template }: Aim,
  change: Change,
): Json[] {
  const selected = list.map((element) => isObject(element) && selects?.(element));
  const changed = (element: Json): JsonObject => {
    const before = isObject(element) ? element : {};
    return sub === null ? merged(before, attribute, change) : withPart(before, sub, change);
  };
  if (clears(change) && sub === null) return list.filter((_, index) => !selected[index]);
  if (selected.includes(true))
    return list.map((element, index) => (selected[index] ? changed(element) : element));
  if (clears(change)) return list;
  if (template === null) throw new ScimPatchError(`no element of ${attribute.name} is meant`);
  return [...list, changed(template)];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
