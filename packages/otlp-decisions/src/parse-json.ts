// Parses JSON in attributes, which is anything that an instrumentation writes there.
import { isJsonObject, type Json, type JsonObject, parseSafeJson } from '@assay/json';

/** Levels of a value that becomes part of a decision, which has levels around it. */
const MAX_LEVELS = 24;

function isWithin(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isWithin(item, levels - 1));
}

/** The value of a text of JSON; undefined for another text. A structured value is itself. */
export function parseJson(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    const parsed = parseSafeJson(value);
    return isWithin(parsed, MAX_LEVELS) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a text of JSON; another text is itself. */
export function parseJsonOrText(value: Json | undefined): Json | undefined {
  return parseJson(value) ?? value;
}

/** The objects of a list; none of anything else. */
export function listObjects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function toOptionalText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The arguments of a call as instrumentations of functions wrap them; undefined where there are none. */
export function unwrapArguments(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || NOTHING.has(value)) return undefined;
  const parsed = parseJsonOrText(value);
  if (!isJsonObject(parsed)) return parsed;
  const { args, kwargs, inputs, input, arguments: given, ...rest } = parsed;
  const names = Object.keys(rest);
  // Python: positional and named arguments.
  if (Array.isArray(args) && isJsonObject(kwargs) && names.length === 0)
    return args.length === 0 ? kwargs : parsed;
  // LangChain beside a Python literal, and the Model Context Protocol beside the name.
  if (isJsonObject(inputs) && 'input_str' in parsed) return inputs;
  if (isJsonObject(given) && names.every((name) => name === 'name' || name === 'tool_name'))
    return given;
  const isOnlyInput = input !== undefined && Object.keys(parsed).length === 1;
  const inner = isOnlyInput ? parseJson(input) : undefined;
  return isJsonObject(inner) ? inner : parsed;
}

/** Texts that stand for no arguments. */
const NOTHING: ReadonlySet<Json> = new Set(['', 'N/A', '<not serializable>']);

/** The last message of a user in a list of messages, or in an object that has one. */
export function readLastUserText(value: Json | undefined): string | undefined {
  const parsed = parseJson(value);
  const messages = isJsonObject(parsed) ? parsed['messages'] : parsed;
  const last = listObjects(messages).findLast(
    ({ role, type }) => role === 'user' || type === 'human',
  );
  const content = last?.['content'];
  if (typeof content === 'string') return toOptionalText(content);
  return toOptionalText(listObjects(content).findLast(({ text }) => text !== undefined)?.['text']);
}
