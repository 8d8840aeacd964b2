// Counts what a protobuf body of OTLP holds before it is decoded: a few bytes can stand for a large object.
import protobuf from 'protobufjs/light.js';
import { ExportError } from '../export-error.ts';
import { exportLimits } from '../export-limits.ts';

/** The fields of a message that are messages, by number. */
interface Shape {
  [field: number]: Shape;
}

const anyValue: Shape = {};
const keyValue: Shape = { 2: anyValue };
anyValue[5] = { 1: anyValue };
anyValue[6] = { 1: keyValue };
export const SPAN: Shape = { 9: keyValue, 11: { 3: keyValue }, 15: {} };
export const RESOURCE: Shape = { 1: keyValue };
export const SCOPE: Shape = {};

const LENGTH_DELIMITED = 2;

/** The messages of one request. */
export class WireCounts {
  #spans = 0;
  #messages = 0;

  /** @throws ExportError */
  addMessage(): void {
    if (++this.#messages > exportLimits.values)
      throw new ExportError(`At most ${exportLimits.values} values in one request`, {
        isTooLarge: true,
      });
  }

  /** @throws ExportError */
  addSpan(): void {
    if (++this.#spans > exportLimits.spans)
      throw new ExportError(`At most ${exportLimits.spans} spans in one request`, {
        isTooLarge: true,
      });
  }
}

/** The bytes of each message in one field of a message. @throws Error where the bytes are no message */
export function listMessages(bytes: Uint8Array, field: number, count: () => void): Uint8Array[] {
  const reader = protobuf.Reader.create(bytes);
  const found: Uint8Array[] = [];
  while (reader.pos < bytes.length) {
    const tag = reader.uint32();
    if (tag === ((field << 3) | LENGTH_DELIMITED)) {
      count();
      const end = readEnd(reader, bytes.length);
      found.push(bytes.subarray(reader.pos, end));
      reader.pos = end;
    } else reader.skipType(tag & 7);
  }
  return found;
}

/**
 * Reads the frame of a message without its contents.
 * @throws ExportError for too many values
 * @throws Error where the bytes are no message, or have too many levels
 */
export function requireWithinBounds(bytes: Uint8Array, shape: Shape, counts: WireCounts): void {
  const reader = protobuf.Reader.create(bytes);
  countMessages({ reader, end: bytes.length, level: 0 }, shape, counts);
}

interface Place {
  reader: protobuf.Reader;
  /** Where the message ends. */
  end: number;
  level: number;
}

function countMessages({ reader, end, level }: Place, shape: Shape, counts: WireCounts): void {
  if (level > exportLimits.messageLevels) throw new RangeError('values are nested too deeply');
  while (reader.pos < end) {
    const tag = reader.uint32();
    const child = shape[tag >>> 3];
    if (!child || (tag & 7) !== LENGTH_DELIMITED) {
      reader.skipType(tag & 7);
      continue;
    }
    counts.addMessage();
    countMessages({ reader, end: readEnd(reader, end), level: level + 1 }, child, counts);
  }
}

/** Where the message that begins with its length ends. */
function readEnd(reader: protobuf.Reader, end: number): number {
  const length = reader.uint32();
  if (length > end - reader.pos) throw new RangeError('a message is longer than its bytes');
  return reader.pos + length;
}
