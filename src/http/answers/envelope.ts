// The JSON envelopes of responses: success is written by `sendReply`, failure here.
import type { Response } from 'express';
import type { AppError } from '../../errors.ts';
import { keepHeader } from '../fast/kept-headers.ts';

/** Sends a JSON response without an ETag. */
export function sendJson(res: Response, status: number, body: object): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  keepHeader(res, 'Content-Type', 'application/json; charset=utf-8');
  keepHeader(res, 'Content-Length', String(Buffer.byteLength(text)));
  res.end(text);
}

/** The failure envelope of an error. */
export function toFailureEnvelope(error: AppError): object {
  return {
    success: false,
    error: error.message,
    code: error.code,
    ...(error.data === undefined ? {} : { data: error.data }),
  };
}

/** Sets the error's own headers, and those that its status calls for. */
export function setFailureHeaders(res: Response, error: AppError): void {
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  if (error.http === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  if (error.http === 503 && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '1');
}

/** Sends the failure envelope. */
export function sendFailure(res: Response, error: AppError): void {
  setFailureHeaders(res, error);
  sendJson(res, error.http, toFailureEnvelope(error));
}
