// Reads the spans of a decoded export, from protobuf or JSON: OTLP's JSON has ids in hexadecimal and long integers as texts.
import type { Json, JsonObject } from '../record/json.ts';
import { MAX_SPANS, MAX_VALUE_DEPTH } from './bounds.ts';
import type { ExportedSpan } from './span.ts';

/** A request that is not an export of traces, or is beyond the bounds. */
export class ExportError extends Error {
  readonly isTooLarge: boolean;

  constructor(text: string, isTooLarge = false) {
    super(text);
    this.name = 'ExportError';
    this.isTooLarge = isTooLarge;
  }
}

export interface ReadSpans {
  spans: ExportedSpan[];
  /** Spans without a valid trace id and span id. */
  withoutIds: number;
}

type Members = Readonly<Record<string, unknown>>;

/** @throws ExportError */
export function readSpans(request: unknown): ReadSpans {
  const read: ReadSpans = { spans: [], withoutIds: 0 };
  for (const resourceSpans of readList(readMembers(request, 'the body'), 'resourceSpans'))
    readResource(resourceSpans, read);
  return read;
}

/** Instrumentations set it where the program sets none. */
const UNKNOWN_SERVICE = /^unknown_service(:|$)/;

function readResource(resourceSpans: Members, read: ReadSpans): void {
  const name = readAttributes(readMember(resourceSpans, 'resource')).get('service.name');
  const isSet = typeof name === 'string' && name !== '' && !UNKNOWN_SERVICE.test(name);
  const service = isSet ? name : null;
  for (const scopeSpans of readList(resourceSpans, 'scopeSpans')) {
    const { name: scopeName, version } = readMember(scopeSpans, 'scope');
    const scope = [scopeName, version].map(toText).filter(Boolean).join('@');
    for (const span of readList(scopeSpans, 'spans')) addSpan(span, { scope, service }, read);
  }
}

function addSpan(
  span: Members,
  origin: Pick<ExportedSpan, 'scope' | 'service'>,
  read: ReadSpans,
): void {
  if (read.spans.length + read.withoutIds >= MAX_SPANS)
    throw new ExportError(`At most ${MAX_SPANS} spans in one request`, true);
  const traceId = readId(span['traceId'], 16);
  const spanId = readId(span['spanId'], 8);
  if (traceId === null || spanId === null) {
    read.withoutIds++;
    return;
  }
  read.spans.push({
    traceId,
    spanId,
    parentSpanId: readId(span['parentSpanId'], 8),
    name: toText(span['name']),
    startMs: readTime(span['startTimeUnixNano']),
    endMs: readTime(span['endTimeUnixNano']),
    attributes: readAttributes(span),
    error: readError(readMember(span, 'status')),
    ...origin,
  });
}

const ERROR_CODE = 2;

function readError({ code, message }: Members): string | null {
  return code === ERROR_CODE || code === 'STATUS_CODE_ERROR' ? toText(message) : null;
}

/** Lower-case hexadecimal digits; null for an id of another length, or of zeros. */
function readId(value: unknown, bytes: number): string | null {
  let digits = '';
  if (value instanceof Uint8Array) digits = Buffer.from(value).toString('hex');
  else if (typeof value === 'string') digits = value.toLowerCase();
  const isId = digits.length === bytes * 2 && /^[0-9a-f]+$/.test(digits) && !/^0+$/.test(digits);
  return isId ? digits : null;
}

const NANOSECONDS = 1e6;
/** The last instant of the year 9999. */
const LAST_MS = 253_402_300_799_999;

function readTime(value: unknown): number | null {
  const ms = toNumber(value) / NANOSECONDS;
  return ms > 0 && ms <= LAST_MS ? ms : null;
}

/** A number, a text of digits, or the library's long integer. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.trim() === '' ? NaN : Number(value);
  return typeof value === 'object' && value !== null ? Number(String(value as object)) : NaN;
}

function readAttributes(holder: Members): Map<string, Json> {
  const attributes = new Map<string, Json>();
  for (const { key, value } of readList(holder, 'attributes'))
    attributes.set(toText(key), toJson(value, 1));
  return attributes;
}

/** Converts an `AnyValue`. @throws ExportError */
function toJson(value: unknown, depth: number): Json {
  if (value === undefined || value === null) return null;
  const any = readMembers(value, 'a value');
  const isSet = (name: string): boolean => Object.hasOwn(any, name) && any[name] != null;
  if (isSet('stringValue')) return toText(any['stringValue']);
  if (isSet('boolValue')) return any['boolValue'] === true;
  if (isSet('intValue')) return toInteger(any['intValue']);
  if (isSet('doubleValue')) return toFloat(any['doubleValue']);
  if (isSet('bytesValue')) return toBase64(any['bytesValue']);
  if (depth > MAX_VALUE_DEPTH)
    throw new ExportError(`Values have at most ${MAX_VALUE_DEPTH} levels of nesting`);
  if (isSet('arrayValue'))
    return readList(readMember(any, 'arrayValue'), 'values').map((item) => toJson(item, depth + 1));
  return isSet('kvlistValue') ? toObject(readMember(any, 'kvlistValue'), depth) : null;
}

function toObject(list: Members, depth: number): JsonObject {
  const object: JsonObject = {};
  for (const { key, value } of readList(list, 'values')) {
    const name = toText(key);
    if (name !== '__proto__') object[name] = toJson(value, depth + 1);
  }
  return object;
}

/** An integer; beyond 2^53 - 1 its digits. */
function toInteger(value: unknown): Json {
  const integer = toNumber(value);
  if (Number.isSafeInteger(integer)) return integer === 0 ? 0 : integer;
  return typeof value === 'object' && value !== null ? String(value as object) : toText(value);
}

/** JSON has no infinite numbers, and OTLP writes them as texts. */
function toFloat(value: unknown): Json {
  const float = toNumber(value);
  if (!Number.isFinite(float)) return String(float);
  if (Number.isInteger(float) && !Number.isSafeInteger(float)) return String(float);
  return float === 0 ? 0 : float;
}

const toBase64 = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : toText(value);

/** A text that can be stored: neither NUL nor half of a surrogate pair. Anything else is empty. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}').toWellFormed() : '';
}

function readMembers(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ExportError(`${what} must be an object`);
  return value as Members;
}

const NOTHING: Members = {};

function readMember(holder: Members, name: string): Members {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  return value === undefined || value === null ? NOTHING : readMembers(value, name);
}

function readList(holder: Members, name: string): Members[] {
  const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ExportError(`${name} must be a list`);
  return value.map((item: unknown) => readMembers(item, `an element of ${name}`));
}
