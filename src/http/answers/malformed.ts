// What the HTTP parser refuses is answered in the failure envelope too: no Express request comes of it.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../errors.ts';
import { failure } from './envelope.ts';

function refusal(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return new AppError('VALIDATION_ERROR', 'Not a well-formed HTTP request');
}

/** Answers and closes the connection; one that is gone is let go. */
export function answerMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error = refusal(code);
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
