// Answers what the HTTP parser rejects, in the failure envelope or in that of SCIM: Express never sees such a request.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { MalformedError } from '../../platform/http-server.ts';
import { failure } from './envelope.ts';
import { SCIM_MEDIA_TYPE, scimFailure } from './scim-envelope.ts';

function parserError(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return new AppError('VALIDATION_ERROR', 'Malformed HTTP request');
}

/** A request line may be as long as all headers together; its beginning says enough. */
const BEGINNING = 200;
const SCIM_REQUEST = /^\s*[A-Z]+ (https?:\/\/[^/ ]*)?\/scim\//;

/** Where the rejected bytes begin with a request line; later bytes of a request name no path. */
function isScim(rawPacket: Buffer | undefined): boolean {
  return SCIM_REQUEST.test(rawPacket?.toString('latin1', 0, BEGINNING) ?? '');
}

/** Answers and closes the connection, or drops one that can no longer be written to. */
export function answerMalformed({ code, rawPacket }: MalformedError, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error = parserError(code);
  const [type, answer] = isScim(rawPacket)
    ? [SCIM_MEDIA_TYPE, scimFailure(error)]
    : ['application/json', failure(error)];
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
