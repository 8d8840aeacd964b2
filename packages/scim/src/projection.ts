// Projection of SCIM resources by `attributes` and `excludedAttributes` (RFC 7644, section 3.9).
import { listAttributes, findAttribute, type ResourceSchema } from './schema.ts';

/** Only one of the two applies; `attributes` takes precedence. Unknown names are ignored. */
export interface Selection {
  attributes?: readonly string[] | undefined;
  excludedAttributes?: readonly string[] | undefined;
}

/** Sub-attributes by attribute; null: the whole attribute. */
type NamedAttributes = Map<string, Set<string> | null>;

function resolveNames(schema: ResourceSchema, paths: readonly string[]): NamedAttributes {
  const named: NamedAttributes = new Map();
  for (const path of paths) {
    const found = findAttribute(schema, path.trim());
    if (!found) continue;
    const { name } = found.attribute;
    const before = named.get(name);
    if (found.sub === null || before === null) named.set(name, null);
    else named.set(name, (before ?? new Set()).add(found.sub.name));
  }
  return named;
}

/** Whether an attribute is returned at all; attributes that need a query are read only then. */
export function isReturned(
  schema: ResourceSchema,
  selection: Selection,
  attribute: string,
): boolean {
  if (selection.attributes) return resolveNames(schema, selection.attributes).has(attribute);
  return resolveNames(schema, selection.excludedAttributes ?? []).get(attribute) !== null;
}

interface Resource {
  schemas: string[];
  id: string;
}

/** A resource with some attributes left out. */
export type Projected<T extends Resource> = Pick<T, keyof Resource> & Partial<T>;

/** The resource with the selected attributes and those that are always returned. */
export function project<T extends Resource>(
  resource: T,
  schema: ResourceSchema,
  selection: Selection,
): Projected<T> {
  const always = new Set(
    listAttributes(schema)
      .filter(({ returned }) => returned === 'always')
      .map(({ name }) => name),
  );
  const isInclusion = selection.attributes !== undefined;
  const named = resolveNames(schema, selection.attributes ?? selection.excludedAttributes ?? []);
  const members = Object.entries(resource).flatMap(([name, value]) => {
    if (always.has(name)) return [[name, value]];
    const subs = named.get(name);
    if (subs === undefined) return isInclusion ? [] : [[name, value]];
    if (subs === null) return isInclusion ? [[name, value]] : [];
    return [[name, selectSubAttributes(value, (sub) => subs.has(sub) === isInclusion)]];
  });
  return Object.fromEntries(members) as Projected<T>;
}

function selectSubAttributes(value: unknown, isSelected: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => selectSubAttributes(element, isSelected));
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => isSelected(name)));
}
