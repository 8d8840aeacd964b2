// Counts what a protobuf body of OTLP holds before it is decoded: a few bytes can stand for a large object.
import protobuf from 'protobufjs/light.js';
import { AppError } from '../../errors.ts';
import { MAX_SPANS, MAX_EXPORT_VALUES } from '../../domain/otlp/bounds.ts';

/** The fields of a message that are messages, by number. */
interface Shape {
  [field: number]: Shape;
}

const anyValue: Shape = {};
const keyValue: Shape = { 2: anyValue };
anyValue[5] = { 1: anyValue };
anyValue[6] = { 1: keyValue };
const span: Shape = { 9: keyValue, 15: {} };
const scopeSpans: Shape = { 1: {}, 2: span };
const request: Shape = { 1: { 1: { 1: keyValue }, 2: scopeSpans } };

/** Levels of messages in each other: 16 levels of values, with the messages around each. */
const MAX_LEVELS = 64;
const LENGTH_DELIMITED = 2;

interface Counts {
  spans: number;
  messages: number;
}

/**
 * Reads the frame of a request without its contents.
 * @throws AppError `PAYLOAD_TOO_LARGE` for too many spans or values, `VALIDATION_ERROR` for too many levels
 * @throws Error where the bytes are no message
 */
export function requireWithinBounds(bytes: Uint8Array): void {
  const reader = protobuf.Reader.create(bytes);
  countMessages({ reader, end: bytes.length, level: 0 }, request, { spans: 0, messages: 0 });
}

interface Place {
  reader: protobuf.Reader;
  /** Where the message ends. */
  end: number;
  level: number;
}

function countMessages({ reader, end, level }: Place, shape: Shape, counts: Counts): void {
  if (level > MAX_LEVELS) throw new AppError('VALIDATION_ERROR', 'Values are nested too deeply');
  while (reader.pos < end) {
    const tag = reader.uint32();
    const child = shape[tag >>> 3];
    if (!child || (tag & 7) !== LENGTH_DELIMITED) {
      reader.skipType(tag & 7);
      continue;
    }
    const length = reader.uint32();
    if (length > end - reader.pos) throw new RangeError('a message is longer than its bytes');
    countMessage(child, counts);
    countMessages({ reader, end: reader.pos + length, level: level + 1 }, child, counts);
  }
}

function countMessage(child: Shape, counts: Counts): void {
  if (child === span && ++counts.spans > MAX_SPANS)
    throw new AppError('PAYLOAD_TOO_LARGE', `At most ${MAX_SPANS} spans in one request`);
  if (++counts.messages > MAX_EXPORT_VALUES)
    throw new AppError('PAYLOAD_TOO_LARGE', `At most ${MAX_EXPORT_VALUES} values in one request`);
}
