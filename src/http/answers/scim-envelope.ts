// SCIM responses: bare resources, and the error envelope of RFC 7644, section 3.12.
import type { Response } from 'express';
import type { AppError, Code } from '../../errors.ts';

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The `scimType` of an error code, where RFC 7644, table 9, defines one. */
const SCIM_TYPES: Partial<Record<Code, string>> = {
  SCIM_INVALID_FILTER: 'invalidFilter',
  SCIM_INVALID_VALUE: 'invalidValue',
  SCIM_INVALID_SYNTAX: 'invalidSyntax',
  SCIM_UNIQUENESS: 'uniqueness',
  ALREADY_EXISTS: 'uniqueness',
  VALIDATION_ERROR: 'invalidValue',
};

export const SCIM_MEDIA_TYPE = 'application/scim+json';

/** Sends a resource, or no body with 204. */
export function sendScim(res: Response, status: number, body: unknown): void {
  res.statusCode = status;
  if (status === 204) return void res.end();
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', `${SCIM_MEDIA_TYPE}; charset=utf-8`);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

export function sendScimFailure(res: Response, error: AppError): void {
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  if (error.http === 503 && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '1');
  if (error.http === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  sendScim(res, error.http, toScimFailure(error));
}

/**
 * The SCIM error of an AppError. Only a plan without SCIM has a `code`, so that clients can distinguish it: strict
 * clients accept no member besides the standard's.
 */
export function toScimFailure(error: AppError): object {
  const scimType = SCIM_TYPES[error.code];
  return {
    schemas: [ERROR_SCHEMA],
    status: String(error.http),
    ...(scimType && { scimType }),
    detail: error.message,
    ...(error.code === 'UPGRADE_REQUIRED' && { code: error.code }),
  };
}
