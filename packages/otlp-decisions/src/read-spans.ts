// Reads the spans of a decoded export, from protobuf or JSON: OTLP's JSON has ids in hexadecimal and long integers as texts.
import type { Json, JsonObject } from '@assay/json';
import { ExportError } from './export-error.ts';
import { exportLimits } from './export-limits.ts';
import type { ExportedSpan, SpanEvent } from './span.ts';

export interface ReadSpans {
  spans: ExportedSpan[];
  /** Spans that cannot be recorded, by the reason. */
  refused: Map<string, number>;
}

type Members = Readonly<Record<string, unknown>>;

/** Reads every span that can be read: what is odd about one costs no other. @throws ExportError for what is no export */
export function readSpans(request: unknown): ReadSpans {
  const read: ReadSpans = { spans: [], refused: new Map() };
  if (!isMembers(request)) throw new ExportError('the body must be an object');
  const all = readMember(request, 'resourceSpans');
  if (!isAbsent(all) && !Array.isArray(all)) throw new ExportError('resourceSpans must be a list');
  for (const resourceSpans of listMembers(all)) readResource(resourceSpans, read);
  return read;
}

/** Instrumentations set it where the program sets none. */
const UNKNOWN_SERVICE = /^unknown_service(:|$)/;

function readResource(resourceSpans: Members, read: ReadSpans): void {
  const resource = toMembers(readMember(resourceSpans, 'resource'));
  const name = readAttributes(readMember(resource, 'attributes')).get('service.name');
  const isSet = typeof name === 'string' && name !== '' && !UNKNOWN_SERVICE.test(name);
  const service = isSet ? name : null;
  for (const scopeSpans of listMembers(readMember(resourceSpans, 'scopeSpans'))) {
    const { name: scopeName, version } = toMembers(readMember(scopeSpans, 'scope'));
    const scope = [scopeName, version].map(toText).filter(Boolean).join('@');
    const spans = readMember(scopeSpans, 'spans');
    if (isAbsent(spans)) continue;
    for (const span of Array.isArray(spans) ? (spans as unknown[]) : [spans])
      addSpan(span, { scope, service }, read);
  }
}

function addSpan(
  span: unknown,
  origin: Pick<ExportedSpan, 'scope' | 'service'>,
  read: ReadSpans,
): void {
  const refused = [...read.refused.values()].reduce((sum, count) => sum + count, 0);
  if (read.spans.length + refused >= exportLimits.spans)
    throw new ExportError(`At most ${exportLimits.spans} spans in one request`, {
      isTooLarge: true,
    });
  const found = readSpan(span, origin);
  if (typeof found === 'string') read.refused.set(found, (read.refused.get(found) ?? 0) + 1);
  else read.spans.push(found);
}

/** A span, or why it cannot be recorded. */
function readSpan(
  span: unknown,
  origin: Pick<ExportedSpan, 'scope' | 'service'>,
): ExportedSpan | string {
  if (!isMembers(span)) return 'a span that cannot be read';
  const traceId = readId(span['traceId'], 16);
  const spanId = readId(span['spanId'], 8);
  if (traceId === null || spanId === null) return 'a span without a valid trace id and span id';
  const attributes = readMember(span, 'attributes');
  if (!isAbsent(attributes) && !Array.isArray(attributes))
    return 'a span whose attributes are no list';
  return {
    traceId,
    spanId,
    parentSpanId: readId(span['parentSpanId'], 8),
    name: toText(span['name']),
    startMs: readTime(span['startTimeUnixNano']),
    endMs: readTime(span['endTimeUnixNano']),
    attributes: readAttributes(attributes),
    events: readEvents(readMember(span, 'events')),
    error: readError(toMembers(readMember(span, 'status'))),
    ...origin,
  };
}

const readEvents = (list: unknown): SpanEvent[] =>
  listMembers(list)
    .map((event) => ({ event, name: toText(event['name']) }))
    .filter(({ name }) => name.startsWith('gen_ai.'))
    .map(({ event, name }) => ({
      name,
      attributes: readAttributes(readMember(event, 'attributes')),
    }));

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
  return Number(toDigits(value) ?? NaN);
}

/** The digits of the library's long integer, which has two halves; null for anything else. */
function toDigits(value: unknown): string | null {
  const { high, low, unsigned } = toMembers(value);
  if (!Number.isInteger(high) || !Number.isInteger(low)) return null;
  const whole = (BigInt(high as number) << 32n) + BigInt((low as number) >>> 0);
  return String(unsigned === true ? BigInt.asUintN(64, whole) : BigInt.asIntN(64, whole));
}

function readAttributes(list: unknown): Map<string, Json> {
  const attributes = new Map<string, Json>();
  for (const { key, value } of listMembers(list)) attributes.set(toText(key), toJson(value, 1));
  return attributes;
}

/** Stands for what is nested too deeply. */
const TOO_DEEP = `[more than ${exportLimits.valueLevels} levels]`;

/** Converts an `AnyValue`; what is none is null. */
function toJson(value: unknown, depth: number): Json {
  const any = toMembers(value);
  const isSet = (name: string): boolean => !isAbsent(readMember(any, name));
  if (isSet('stringValue')) return toText(any['stringValue']);
  if (isSet('boolValue')) return any['boolValue'] === true;
  if (isSet('intValue')) return toInteger(any['intValue']);
  if (isSet('doubleValue')) return toFloat(any['doubleValue']);
  if (isSet('bytesValue')) return toBase64(any['bytesValue']);
  if (!isSet('arrayValue') && !isSet('kvlistValue')) return null;
  if (depth > exportLimits.valueLevels) return TOO_DEEP;
  if (isSet('kvlistValue')) return toObject(readValues(any['kvlistValue']), depth);
  const values = readValues(any['arrayValue']);
  return Array.isArray(values) ? values.map((item: unknown) => toJson(item, depth + 1)) : [];
}

const readValues = (list: unknown): unknown => readMember(toMembers(list), 'values');

function toObject(list: unknown, depth: number): JsonObject {
  const object: JsonObject = {};
  for (const { key, value } of listMembers(list)) {
    const name = toText(key);
    if (name !== '__proto__') object[name] = toJson(value, depth + 1);
  }
  return object;
}

/** An integer; beyond 2^53 - 1 its digits. */
function toInteger(value: unknown): Json {
  const integer = toNumber(value);
  if (Number.isSafeInteger(integer)) return integer === 0 ? 0 : integer;
  return toDigits(value) ?? (typeof value === 'number' ? toFloat(value) : toText(value));
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

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NOTHING: Members = {};

const toMembers = (value: unknown): Members => (isMembers(value) ? value : NOTHING);

const readMember = (holder: Members, name: string): unknown =>
  Object.hasOwn(holder, name) ? holder[name] : undefined;

/** The objects of a list; none of anything else. */
const listMembers = (list: unknown): Members[] =>
  Array.isArray(list) ? list.filter(isMembers) : [];
