// Failures as problem details (RFC 9457), with the problem types of AuthZEN; the detail begins with the stable code.
import { STATUS_CODES } from 'node:http';
import type { Response } from 'express';
import { PROBLEM_TYPES } from '../../domain/authzen/problem-types.ts';
import type { AppError } from '../../errors.ts';
import { repeatRequestId } from './access-envelope.ts';
import { setFailureHeaders } from './envelope.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export function sendProblem(res: Response, error: AppError): void {
  const { code, http: status, message } = error;
  repeatRequestId(res);
  setFailureHeaders(res, error);
  const own = PROBLEM_TYPES.get(code);
  const { type, title } = own ?? { type: 'about:blank', title: STATUS_CODES[status] ?? '' };
  const text = JSON.stringify({ type, title, status, detail: `${code}: ${message}` });
  res.statusCode = status;
  res.setHeader('Content-Type', PROBLEM_MEDIA_TYPE);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
