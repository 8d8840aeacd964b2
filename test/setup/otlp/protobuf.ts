// Writes exports of spans in protobuf, whole and broken, and reads the answers.
import protobuf from 'protobufjs/light.js';
import { DEFINITIONS } from '@assay/otlp-decisions';

const root = protobuf.Root.fromJSON(DEFINITIONS);

export const encodeMessage = (type: string, value: object): Buffer =>
  Buffer.from(root.lookupType(type).encode(root.lookupType(type).fromObject(value)).finish());

export const decodeMessage = (type: string, bytes: Uint8Array): object =>
  root.lookupType(type).toObject(root.lookupType(type).decode(bytes), { longs: Number });

/** A field of a message that holds these bytes. */
export function wrapBytes(field: number, bytes: Uint8Array): Buffer {
  const head = protobuf.Writer.create()
    .uint32((field << 3) | 2)
    .uint32(bytes.length)
    .finish();
  return Buffer.concat([head, bytes]);
}

/** A span of JSON, which has ids in hexadecimal. */
export function encodeSpan(span: object): Buffer {
  const {
    traceId,
    spanId,
    parentSpanId = '',
  } = span as Record<'traceId' | 'spanId', string> & {
    parentSpanId?: string;
  };
  const toBytes = (digits: string): Buffer => Buffer.from(digits, 'hex');
  const ids = { traceId: toBytes(traceId), spanId: toBytes(spanId) };
  return encodeMessage('Span', { ...span, ...ids, parentSpanId: toBytes(parentSpanId) });
}

/** An export of these spans in one scope. */
export const wrapSpans = (...spans: Uint8Array[]): Buffer =>
  wrapBytes(1, wrapBytes(2, Buffer.concat(spans.map((span) => wrapBytes(2, span)))));
