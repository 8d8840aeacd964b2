// Lists of values in conditions: written beside the condition, or named and kept elsewhere under a digest.
import { isJsonObject, type Json } from '@assay/json';

export type Scalar = string | number | boolean;

/** The contents of a named list. */
export interface NamedList {
  /** SHA-256 (hex) of the values as sorted canonical JSON (docs/reference/formats.md). */
  digest: string;
  values: ReadonlySet<Json>;
}

/** Named lists by name. */
export type NamedLists = Readonly<Record<string, NamedList>>;

/** Values beside a condition; longer lists get a name. */
const VALUES_MAX = 1_000;
/** Names of lists: what a path of the API takes as it is. */
export const LIST_NAME = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;

export function isScalar(value: Json): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The name of the list that a condition's value refers to; null for values of its own. */
export function readListName(value: Json): string | null {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return null;
  const name = Object.hasOwn(value, 'list') ? value['list'] : null;
  return typeof name === 'string' && LIST_NAME.test(name) ? name : null;
}

/** The lists that conditions name, each once, in their order. */
export function findListNames(conditions: readonly { operator: string; value: Json }[]): string[] {
  const named = conditions.filter(({ operator }) => operator === 'in' || operator === 'any_in');
  return [...new Set(named.flatMap(({ value }) => readListName(value) ?? []))];
}

/** Names the contents of the lists that a value refers to, so that a digest covers them. */
export function withListDigest(value: Json, lists: NamedLists | undefined): Json {
  const list = getList(value, lists);
  return list === null ? value : { list: readListName(value), digest: list.digest };
}

/** The values of a condition; null where it names a list that there is not. */
export function readListedValues(
  value: Json,
  lists: NamedLists | undefined,
): ReadonlySet<Json> | null {
  if (Array.isArray(value)) return new Set(value);
  return getList(value, lists)?.values ?? null;
}

function getList(value: Json, lists: NamedLists | undefined): NamedList | null {
  const name = readListName(value);
  return name !== null && lists && Object.hasOwn(lists, name) ? lists[name]! : null;
}

/** The validation error of the value of `in` or `any_in`. */
export function findListedProblem(value: Json): string | null {
  if (readListName(value) !== null) return null;
  if (!Array.isArray(value))
    return 'must be a list of values, or { "list": "name" } with the name of a list';
  if (value.length === 0 || value.length > VALUES_MAX)
    return `must have 1 to ${VALUES_MAX} values; longer lists get a name`;
  return value.every(isScalar) ? null : 'must hold texts, numbers and booleans only';
}
