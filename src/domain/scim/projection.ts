// Which attributes of a SCIM resource an answer shows: `attributes` and `excludedAttributes` (RFC 7644, section 3.9).
import { attributesOf, findAttribute, type ResourceSchema } from './schema.ts';

/** At most one of the two is used; `attributes` wins. Names that lead nowhere are passed over. */
export interface Selection {
  attributes?: readonly string[] | undefined;
  excludedAttributes?: readonly string[] | undefined;
}

/** Sub-attributes by attribute; null: the attribute as a whole. */
type Named = Map<string, Set<string> | null>;

function namedIn(schema: ResourceSchema, paths: readonly string[]): Named {
  const named: Named = new Map();
  for (const path of paths) {
    const place = findAttribute(schema, path.trim());
    if (!place) continue;
    const { name } = place.attribute;
    const before = named.get(name);
    if (place.sub === null || before === null) named.set(name, null);
    else named.set(name, (before ?? new Set()).add(place.sub.name));
  }
  return named;
}

/** Whether an attribute is shown at all, so that what costs a query is fetched only then. */
export function shows(schema: ResourceSchema, selection: Selection, attribute: string): boolean {
  if (selection.attributes) return namedIn(schema, selection.attributes).has(attribute);
  return namedIn(schema, selection.excludedAttributes ?? []).get(attribute) !== null;
}

interface Resource {
  schemas: string[];
  id: string;
}

/** What is left of a resource. */
export type Projected<T extends Resource> = Pick<T, keyof Resource> & Partial<T>;

/** The resource with what was asked for; what is always returned stays. */
export function project<T extends Resource>(
  resource: T,
  schema: ResourceSchema,
  selection: Selection,
): Projected<T> {
  const always = new Set(
    attributesOf(schema)
      .filter(({ returned }) => returned === 'always')
      .map(({ name }) => name),
  );
  const keeps = selection.attributes !== undefined;
  const named = namedIn(schema, selection.attributes ?? selection.excludedAttributes ?? []);
  const members = Object.entries(resource).flatMap(([name, value]) => {
    if (always.has(name)) return [[name, value]];
    const subs = named.get(name);
    if (subs === undefined) return keeps ? [] : [[name, value]];
    if (subs === null) return keeps ? [[name, value]] : [];
    return [[name, partsOf(value, (sub) => subs.has(sub) === keeps)]];
  });
  return Object.fromEntries(members) as Projected<T>;
}

function partsOf(value: unknown, shown: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => partsOf(element, shown));
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => shown(name)));
}
