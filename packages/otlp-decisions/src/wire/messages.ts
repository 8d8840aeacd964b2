// Decodes OTLP requests in protobuf, and encodes the answers, by protobufjs with the published definitions.
import protobuf from 'protobufjs/light.js';
import { ExportError } from '../export-error.ts';
import { DEFINITIONS } from './definitions.ts';
import {
  listMessages,
  requireWithinBounds,
  RESOURCE,
  SCOPE,
  SPAN,
  WireCounts,
} from './wire-bounds.ts';

const root = protobuf.Root.fromJSON(DEFINITIONS);
const Resource = root.lookupType('Resource');
const Scope = root.lookupType('InstrumentationScope');
const Span = root.lookupType('Span');
const Response = root.lookupType('ExportTraceResponse');
const Status = root.lookupType('RpcStatus');

/**
 * Decodes the body of a trace export, which is read as a plain object afterwards. What is broken within it is null.
 * @throws ExportError for what is no such message, and for too many spans or values
 */
export function decodeTraceRequest(bytes: Uint8Array): object {
  const counts = new WireCounts();
  const count = (): void => counts.addMessage();
  try {
    const all = listMessages(bytes, 1, count);
    return { resourceSpans: all.map((each) => decodeResourceSpans(each, counts)) };
  } catch (error) {
    if (error instanceof ExportError) throw error;
    throw new ExportError('The body is no ExportTraceServiceRequest', { cause: error });
  }
}

/** Spans of which nothing can be read. */
const BROKEN = { scopeSpans: [{ spans: [null] }] };

function decodeResourceSpans(bytes: Uint8Array, counts: WireCounts): object {
  const count = (): void => counts.addMessage();
  const decoded = decodePart(() => {
    const [resource] = listMessages(bytes, 1, count).slice(-1);
    const scopeSpans = listMessages(bytes, 2, count);
    return {
      resource: resource && decodeMessage(Resource, resource, { shape: RESOURCE, counts }),
      scopeSpans: scopeSpans.map((each) => decodeScopeSpans(each, counts)),
    };
  });
  return decoded ?? BROKEN;
}

function decodeScopeSpans(bytes: Uint8Array, counts: WireCounts): object {
  const decoded = decodePart(() => {
    const [scope] = listMessages(bytes, 1, () => counts.addMessage()).slice(-1);
    const spans = listMessages(bytes, 2, () => counts.addSpan());
    return {
      scope: scope && decodeMessage(Scope, scope, { shape: SCOPE, counts }),
      spans: spans.map((each) => decodeMessage(Span, each, { shape: SPAN, counts })),
    };
  });
  return decoded ?? { spans: [null] };
}

interface Bounds {
  shape: Parameters<typeof requireWithinBounds>[1];
  counts: WireCounts;
}

const decodeMessage = (type: protobuf.Type, bytes: Uint8Array, { shape, counts }: Bounds) =>
  decodePart(() => {
    requireWithinBounds(bytes, shape, counts);
    return type.decode(bytes);
  });

/** Null for bytes that are broken: the rest of the request stands. @throws ExportError */
function decodePart<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ExportError) throw error;
    return null;
  }
}

export interface PartialSuccess {
  rejected: number;
  errorMessage: string;
}

/** Encodes the answer to an export of any signal; null: everything was accepted. */
export function encodeExportResponse(partialSuccess: PartialSuccess | null): Uint8Array {
  return Response.encode(Response.fromObject(partialSuccess ? { partialSuccess } : {})).finish();
}

export function encodeStatus(status: { code: number; message: string }): Uint8Array {
  return Status.encode(Status.fromObject(status)).finish();
}
