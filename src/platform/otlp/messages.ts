// Decodes OTLP requests in protobuf, and encodes the answers, by protobufjs with the published definitions.
import protobuf from 'protobufjs/light.js';
import { AppError } from '../../errors.ts';
import { DEFINITIONS } from './definitions.ts';
import { requireWithinBounds } from './wire-bounds.ts';

const root = protobuf.Root.fromJSON(DEFINITIONS);
const Request = root.lookupType('ExportTraceServiceRequest');
const Response = root.lookupType('ExportTraceResponse');
const Status = root.lookupType('RpcStatus');

/**
 * Decodes the body of a trace export, which is read as a plain object afterwards.
 * @throws AppError `VALIDATION_ERROR` for what is no such message, `PAYLOAD_TOO_LARGE` for too many spans or values
 */
export function decodeTraceRequest(bytes: Uint8Array): object {
  try {
    requireWithinBounds(bytes);
    return Request.decode(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('VALIDATION_ERROR', 'The body is no ExportTraceServiceRequest', {
      cause: error,
    });
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
