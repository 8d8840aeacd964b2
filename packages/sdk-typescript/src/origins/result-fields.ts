// A result as its fields: what stands at equal places of the items of a list is one field.
import { foldValue } from '@assay/policy/atoms';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { SeenText } from './seen-text.ts';

/** Leaves (`#`), or names of members (`@`), at one place of a result; `~`: names from anywhere below it. */
export interface SeenField {
  /** The decision whose result it is, and the JSON pointer of the place, in which items are `*`. */
  traceId: string;
  pointer: string;
  kind: '#' | '@' | '~';
  text: SeenText;
}

/** Characters that a run keeps, of its results and of what the person wrote. */
export const TEXT_MAX = 1_048_576;
/** Characters of one leaf. */
export const LEAF_MAX = 100_000;
/** Fields of one result; what more there is counts as one, of the whole result. */
const FIELDS_MAX = 1_000;
/** Characters that a field counts for beside its own. */
const FIELD_SIZE = 100;
const SOURCE_MAX = 300;
const DEPTH_MAX = 100;

/** It cannot be posted. */
const LONE_SURROGATE = /\p{Surrogate}/u;

interface Place {
  pointer: string;
  /** Whether it was cut: what lies below it has the same pointer. */
  isCut?: boolean;
  depth: number;
}

const ROOT: Place = { pointer: '', depth: 0 };

/** Returns the fields of a result, as far as there is room, and the characters that they take. */
export function readFields(traceId: string, result: Json): { fields: SeenField[]; size: number } {
  const fields = new Map<string, SeenField>();
  let size = 0;

  function add(kind: SeenField['kind'], { pointer }: Place, given: string): void {
    const text = foldValue(given.slice(0, LEAF_MAX));
    if (text === '') return;
    const field = openField(kind, pointer);
    size += text.length + 1;
    if (size <= TEXT_MAX) field.text.add(text);
  }

  function openField(kind: SeenField['kind'], pointer: string): SeenField {
    const key = `${kind}${pointer}`;
    const known = fields.get(key);
    if (known) return known;
    if (fields.size >= FIELDS_MAX && pointer !== '')
      return openField(kind === '@' ? '~' : kind, '');
    const field = { traceId, pointer, kind, text: new SeenText() };
    fields.set(key, field);
    size += FIELD_SIZE;
    return field;
  }

  function step({ pointer, isCut = false, depth }: Place, name: string): Place {
    const longer = `${pointer}/${name}`;
    if (isCut || LONE_SURROGATE.test(name) || traceId.length + 1 + longer.length > SOURCE_MAX)
      return { pointer, isCut: true, depth: depth + 1 };
    return { pointer: longer, depth: depth + 1 };
  }

  function walk(value: Json, at: Place): void {
    if (size > TEXT_MAX) return;
    const read = typeof value === 'string' ? (parseText(value) ?? value) : value;
    if (typeof read === 'number') add('#', at, String(read));
    if (typeof read === 'string') add('#', at, read);
    if (typeof read !== 'object' || read === null) return;
    if (at.depth === DEPTH_MAX) return add('#', at, writeText(read));
    if (Array.isArray(read)) {
      const below = step(at, '*');
      for (const item of read) walk(item, below);
    } else {
      for (const name of Object.keys(read)) add(at.isCut ? '~' : '@', at, name);
      for (const [name, member] of Object.entries(read)) walk(member, step(at, escapeName(name)));
    }
  }

  for (const [value, pointer] of listParts(result))
    walk(value, pointer === '' ? ROOT : { pointer, depth: 1 });
  return { fields: [...fields.values()], size: Math.min(size, TEXT_MAX) };
}

const escapeName = (name: string): string =>
  name === '*' ? '~2' : name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Returns the value of a text that is JSON; undefined: it is a text. */
function parseText(text: string): Json[] | JsonObject | undefined {
  if (text.length > TEXT_MAX || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json[] | JsonObject;
  } catch {
    return undefined;
  }
}

/** A value that is nested too deeply to be taken apart. */
function writeText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

/** What an MCP server answers is its structured content, and the texts beside it that are JSON; else it stays as it is. */
function* listParts(given: Json): Generator<[Json, string]> {
  const result = typeof given === 'string' ? (parseText(given) ?? given) : given;
  if (!isObject(result) || !isContent(result.content)) return yield [result, ''];
  const { content, ...others } = result;
  const { structuredContent: structured } = others;
  if (isObject(structured)) {
    yield [structured, ''];
    delete others.structuredContent;
  }
  for (const item of content) {
    const parsed = typeof item.text === 'string' ? parseText(item.text) : undefined;
    if (parsed === undefined) yield [item, '/content/*'];
    else if (JSON.stringify(parsed) !== JSON.stringify(structured)) yield [parsed, ''];
  }
  yield [others, ''];
}

const isContent = (content: Json | undefined): content is (JsonObject & { type: string })[] =>
  Array.isArray(content) &&
  content.every((item) => isObject(item) && typeof item.type === 'string');
