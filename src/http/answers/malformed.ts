// Answers requests that the HTTP parser rejects, in the failure envelope or that of SCIM: Express never sees them.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { MalformedError } from '../server.ts';
import { toFailureEnvelope } from './envelope.ts';
import { SCIM_MEDIA_TYPE, toScimFailure } from './scim-envelope.ts';

function toParserError(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return new AppError('VALIDATION_ERROR', 'Malformed HTTP request');
}

/** Characters of the request line that are looked at: it may be as long as all headers together. */
const BEGINNING = 200;
const SCIM_REQUEST = /^\s*[A-Z]+ (https?:\/\/[^/ ]*)?\/scim\//;

/** Whether the rejected bytes begin with the request line of a SCIM path; later bytes of a request name no path. */
function isScim(rawPacket: Buffer | undefined): boolean {
  return SCIM_REQUEST.test(rawPacket?.toString('latin1', 0, BEGINNING) ?? '');
}

/** Answers and closes the connection; drops it when it can no longer be written to. */
export function answerMalformed({ code, rawPacket }: MalformedError, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error = toParserError(code);
  const [type, answer] = isScim(rawPacket)
    ? [SCIM_MEDIA_TYPE, toScimFailure(error)]
    : ['application/json', toFailureEnvelope(error)];
  const body = JSON.stringify(answer);
  socket.end(
    [
      `HTTP/1.1 ${error.http} ${STATUS_CODES[error.http] ?? ''}`,
      'Connection: close',
      'X-Service-API-Version: v1',
      `Content-Type: ${type}; charset=utf-8`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
