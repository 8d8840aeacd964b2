// Arguments that travel in headers too (`Mcp-Param-*`), as the schema of a tool says: they are made from what is sent on.
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';

/** A property of a tool's arguments, and the header that repeats it. */
interface Declaration {
  path: readonly string[];
  header: string;
}

const PREFIX = 'mcp-param-';
const MARK = 'x-mcp-header';
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TOOLS_MAX = 10_000;
const LEVELS_MAX = 32;

export const isParamHeader = (name: string): boolean => name.startsWith(PREFIX);

/** What is no plain text, or looks like an encoded one, travels in base64. */
export const encodeHeader = (text: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** Remembers which arguments of a server's tools travel in headers. */
export class ParamHeaders {
  readonly #declared = new Map<string, readonly Declaration[]>();

  /** Takes over what a list of tools declares. */
  addTools(tools: Json | undefined): void {
    for (const tool of Array.isArray(tools) ? tools : []) {
      if (!isObject(tool) || typeof tool.name !== 'string') continue;
      this.#declared.delete(tool.name);
      this.#declared.set(tool.name, [...listDeclarations(tool.inputSchema, [])]);
      const [oldest] = this.#declared.keys();
      if (this.#declared.size > TOOLS_MAX && oldest !== undefined) this.#declared.delete(oldest);
    }
  }

  /** Returns the headers of a call; undefined: the tool was not listed yet. */
  build(tool: string, args: Json | undefined): Record<string, string> | undefined {
    const declared = this.#declared.get(tool);
    if (!declared) return undefined;
    const headers = declared.flatMap(({ path, header }) => {
      const text = toText(findValue(args, path));
      return text === undefined ? [] : [[PREFIX + header, encodeHeader(text)] as const];
    });
    return Object.fromEntries(headers);
  }
}

/** Only what stands in `properties`, at any depth, can be declared. */
function* listDeclarations(schema: Json | undefined, path: string[]): Generator<Declaration> {
  if (!isObject(schema ?? null) || path.length > LEVELS_MAX) return;
  const { [MARK]: header, properties } = schema as JsonObject;
  if (typeof header === 'string' && TOKEN.test(header) && path.length > 0)
    yield { path, header: header.toLowerCase() };
  if (!isObject(properties ?? null)) return;
  for (const [name, inner] of Object.entries(properties as JsonObject))
    yield* listDeclarations(inner, [...path, name]);
}

function findValue(args: Json | undefined, path: readonly string[]): Json | undefined {
  let value = args;
  for (const name of path) {
    if (!isObject(value ?? null) || !Object.hasOwn(value as JsonObject, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** What is no text, number or truth value has no header. */
function toText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  const isExact = typeof value === 'number' && (Number.isSafeInteger(value) || value % 1 !== 0);
  return isExact ? String(value) : undefined;
}
