// Applies SCIM patches (RFC 7644, section 3.5.2) to a copy: only writable attributes of the schema can change.
import { type Json, type JsonObject, truncate } from '@assay/json';
import { toElementSchema, createPredicate, type Predicate } from './filter.ts';
import { parseTarget, ScimFilterError, type FilterTree } from './grammar.ts';
import {
  toCanonicalMembers,
  findAttribute,
  type Attribute,
  type ResourceSchema,
} from './schema.ts';

export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path?: string | undefined;
  value?: Json | undefined;
}

/** Each name may be a path that visits every element. */
const MAX_NAMES = 100;

/** An operation that cannot be applied. */
export class ScimPatchError extends Error {}

/** The target that an operation writes to. */
interface WriteTarget {
  attribute: Attribute;
  sub: Attribute | null;
  /** Selects elements of a multi-valued attribute; null: the whole attribute. */
  selects: Predicate | null;
  /** The initial content of a new element when none is selected; null: the filter does not determine it. */
  template: JsonObject | null;
}

type Change = Pick<PatchOperation, 'op' | 'value'>;

/**
 * The resource after all operations, in order; the given one does not change. Values are checked for their shape only.
 * @throws ScimPatchError for an unknown or read-only path, and for a value of the wrong shape
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
  if (op !== 'remove' && value === undefined) throw new ScimPatchError(`${op} requires a value`);
  if (path !== undefined) {
    const target = resolveTarget(schema, path);
    if (!target) throw new ScimPatchError(`${truncate(path, 80)} is not a writable attribute`);
    return write(resource, target, { op, value });
  }
  if (op === 'remove') throw new ScimPatchError('remove requires a path');
  if (!isObject(value)) throw new ScimPatchError('without a path, the value must be an object');
  if (Object.keys(value).length > MAX_NAMES)
    throw new ScimPatchError(`without a path, the value may have ${MAX_NAMES} members`);
  // Entra sends paths for names. Unknown ones are ignored, as in a complete resource.
  return Object.entries(value).reduce((current, [name, member]) => {
    const target = resolveTarget(schema, name);
    return target ? write(current, target, { op, value: member }) : current;
  }, resource);
}

/** Null for malformed paths and for unknown or read-only attributes. */
function resolveTarget(schema: ResourceSchema, path: string): WriteTarget | null {
  try {
    const parsed = parseTarget(path);
    const found = findAttribute(
      schema,
      parsed.sub === null ? parsed.path : `${parsed.path}.${parsed.sub}`,
    );
    if (!found || [found.attribute, found.sub].some((part) => part?.mutability === 'readOnly'))
      return null;
    const { multiValued } = found.attribute;
    // `emails.value` does not select an element: it would write to all of them.
    if (parsed.of === null)
      return multiValued && found.sub !== null ? null : { ...found, selects: null, template: null };
    if (!multiValued || (parsed.sub === null && found.sub !== null)) return null;
    const elements = toElementSchema(found.attribute, schema);
    return {
      ...found,
      selects: createPredicate(parsed.of, elements),
      template: deriveTemplate(parsed.of, elements),
    };
  } catch (error) {
    if (error instanceof ScimFilterError) return null;
    throw error;
  }
}

/** The element that a filter of equalities describes: `{ type: 'work' }` for `type eq "work"`. */
function deriveTemplate(tree: FilterTree, elements: ResourceSchema): JsonObject | null {
  if (tree.op === 'eq') {
    const found = findAttribute(elements, tree.path);
    return found && found.sub === null ? { [found.attribute.name]: tree.value } : null;
  }
  if (tree.op !== 'and') return null;
  const parts = tree.of.map((part) => deriveTemplate(part, elements));
  return parts.every((part) => part !== null) ? Object.assign({}, ...parts) : null;
}

function write(resource: JsonObject, target: WriteTarget, change: Change): JsonObject {
  const { attribute, sub, selects } = target;
  const { name } = attribute;
  const current = resource[name];
  if (attribute.multiValued) {
    const list = Array.isArray(current) ? current : [];
    const changed =
      selects === null ? writeList(list, attribute, change) : writeElements(list, target, change);
    return { ...resource, [name]: changed };
  }
  if (sub !== null)
    return { ...resource, [name]: setMember(isObject(current) ? current : {}, sub, change) };
  if (attribute.type !== 'complex' || isClearing(change))
    return setMember(resource, attribute, change);
  return { ...resource, [name]: merge(current, attribute, change) };
}

/** Null removes a value (RFC 7643, section 2.5). */
const isClearing = ({ op, value }: Change): boolean => op === 'remove' || value === null;

function setMember(holder: JsonObject, member: Attribute, change: Change): JsonObject {
  return isClearing(change)
    ? omitMember(holder, member)
    : { ...holder, [member.name]: change.value ?? null };
}

function omitMember(holder: JsonObject, { name, required }: Attribute): JsonObject {
  if (required || name === 'active') throw new ScimPatchError(`${name} cannot be removed`);
  const { [name]: _removed, ...rest } = holder;
  return rest;
}

/** Replaces the sub-attributes in the value, and keeps the others. */
function merge(
  current: Json | undefined,
  { name, subAttributes = [] }: Attribute,
  { value }: Change,
): JsonObject {
  if (!isObject(value)) throw new ScimPatchError(`${name} must be an object`);
  return {
    ...(isObject(current) ? current : {}),
    ...(toCanonicalMembers(subAttributes, value) as JsonObject),
  };
}

/** Add appends new elements, replace replaces all, remove removes the given elements or all. */
function writeList(
  list: Json[],
  { name, subAttributes = [] }: Attribute,
  { op, value }: Change,
): Json[] {
  if (value === undefined || value === null) return [];
  const items = [value].flat().map((item) => toCanonicalMembers(subAttributes, item) as Json);
  if (!items.every(isObject)) throw new ScimPatchError(`${name} must be a list of objects`);
  if (op === 'replace') return items;
  const toKey = op === 'remove' ? readElementValue : toElementKey;
  const named = new Set(items.map(toKey));
  const kept = list.filter((old) => !named.has(toKey(old)));
  return op === 'remove' ? kept : [...kept, ...items];
}

const readElementValue = (element: Json): string =>
  isObject(element) && typeof element.value === 'string' ? element.value.toLowerCase() : '';
/** Elements of the same value and type are the same. */
const toElementKey = (element: Json): string =>
  JSON.stringify([readElementValue(element), isObject(element) ? element.type : undefined]);

/** Changes the selected elements; when none is selected, adds one. */
function writeElements(
  list: Json[],
  { attribute, sub, selects, template }: WriteTarget,
  change: Change,
): Json[] {
  const selected = list.map((element) => isObject(element) && selects?.(element));
  const changeElement = (element: Json): JsonObject => {
    const before = isObject(element) ? element : {};
    return sub === null ? merge(before, attribute, change) : setMember(before, sub, change);
  };
  if (isClearing(change) && sub === null) return list.filter((_, index) => !selected[index]);
  if (selected.includes(true))
    return list.map((element, index) => (selected[index] ? changeElement(element) : element));
  if (isClearing(change)) return list;
  if (template === null) throw new ScimPatchError(`no element of ${attribute.name} is selected`);
  return [...list, changeElement(template)];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
