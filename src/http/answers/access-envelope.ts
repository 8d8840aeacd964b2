// Failures of the AuthZEN interface: a message in plain text that begins with the stable code.
import type { Response } from 'express';
import type { AppError } from '../../errors.ts';
import { setFailureHeaders } from './envelope.ts';

export const ACCESS_FAILURE_TYPE = 'text/plain';
/** Characters of a request id that is sent back as it came. */
const REQUEST_ID_MAX = 256;

/** The standard has one status for every request that is not understood. */
export const toAccessStatus = (http: number): number => (http === 415 ? 400 : http);

export function sendAccessFailure(res: Response, error: AppError): void {
  repeatRequestId(res);
  setFailureHeaders(res, error);
  const text = `${error.code}: ${error.message}`;
  res.statusCode = toAccessStatus(error.http);
  res.setHeader('Content-Type', `${ACCESS_FAILURE_TYPE}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** The id is any text in the standard, while other interfaces answer with one of their own for most. */
export function repeatRequestId(res: Response): void {
  const given = res.req.headers['x-request-id'];
  if (typeof given !== 'string' || given === '' || given.length > REQUEST_ID_MAX) return;
  res.setHeader('X-Request-Id', given);
}
