// Answers what the HTTP parser rejects in the failure envelope: Express never sees such a request.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../errors.ts';
import { failure } from './envelope.ts';

function parserError(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return new AppError('VALIDATION_ERROR', 'Malformed HTTP request');
}

/** Answers and closes the connection, or drops one that can no longer be written to. */
export function answerMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error = parserError(code);
  const body = JSON.stringify(failure(error));
  socket.end(
    [
      `HTTP/1.1 ${error.http} ${STATUS_CODES[error.http] ?? ''}`,
      'Connection: close',
      'X-Service-API-Version: v1',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
