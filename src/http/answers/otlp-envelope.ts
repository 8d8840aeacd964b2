// Answers of OTLP over HTTP, in the encoding of the request: export responses, and errors as google.rpc.Status.
import { encodeExportResponse, encodeStatus } from '@assay/otlp-decisions';
import type { Response } from 'express';
import type { AppError } from '../../errors.ts';
import { isProtobuf } from '../checks/otlp-body.ts';
import { sendJson } from './envelope.ts';

/** The JSON form; the name of the count depends on the signal. */
export interface ExportReply {
  partialSuccess?: { errorMessage: string } & Partial<
    Record<'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints', string>
  >;
}

/** The codes of google.rpc.Code by HTTP status; any other is `UNKNOWN` (2). */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  409: 10,
  413: 8,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
};
const UNKNOWN = 2;
const RETRIED = new Set([429, 503]);

export function sendExportReply(res: Response, status: number, data: ExportReply): void {
  if (!isProtobuf(res.req.headers['content-type'])) return sendJson(res, status, data);
  const { partialSuccess: partial } = data;
  const counts = [partial?.rejectedSpans, partial?.rejectedLogRecords, partial?.rejectedDataPoints];
  const rejected = Number(counts.find((count) => count !== undefined) ?? 0);
  const errorMessage = partial?.errorMessage ?? '';
  sendProtobuf(res, status, encodeExportResponse(partial ? { rejected, errorMessage } : null));
}

/** Exporters retry 429 and 503, and wait for as long as `Retry-After` says. */
export function sendExportFailure(res: Response, error: AppError): void {
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  if (RETRIED.has(error.http) && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '1');
  if (error.http === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  const code = RPC_CODES[error.http] ?? UNKNOWN;
  const status = { code, message: `${error.code}: ${error.message}` };
  if (isProtobuf(res.req.headers['content-type']))
    sendProtobuf(res, error.http, encodeStatus(status));
  else sendJson(res, error.http, status);
}

function sendProtobuf(res: Response, status: number, bytes: Uint8Array): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/x-protobuf');
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}
