// Reads the bytes of request bodies of bounded size. Every failure is a 4xx.
import express, { type Request, type Response } from 'express';
import { AppError } from '../../errors.ts';

const readers = new Map<number, ReturnType<typeof express.raw>>();
const EMPTY = Buffer.alloc(0);

function getBodyReader(limit: number): ReturnType<typeof express.raw> {
  let reader = readers.get(limit);
  if (!reader) readers.set(limit, (reader = express.raw({ type: () => true, limit })));
  return reader;
}

/**
 * Reads the body's bytes after content decoding.
 * @throws AppError `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, or `VALIDATION_ERROR` when the transfer broke off
 */
export async function readBody(req: Request, res: Response, limit: number): Promise<Buffer> {
  return isFullyBuffered(req, limit)
    ? ((req.read() as Buffer | null) ?? EMPTY)
    : receiveBody(req, res, limit);
}

/** Whether the whole body is buffered and not encoded: a synchronous read saves 10 us (row ingest/R1). */
function isFullyBuffered({ complete, readableLength, headers }: Request, limit: number): boolean {
  return complete && readableLength <= limit && headers['content-encoding'] === undefined;
}

async function receiveBody(req: Request, res: Response, limit: number): Promise<Buffer> {
  await new Promise<void>((resolve, reject) =>
    getBodyReader(limit)(req, res, (error?: unknown) =>
      error === undefined ? resolve() : reject(readError(error)),
    ),
  );
  return Buffer.isBuffer(req.body) ? req.body : EMPTY;
}

/** Maps the status of body-parser's errors; any other decoding error is a malformed body. */
function readError(cause: unknown): AppError {
  const { status } = cause as { status?: number };
  if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', undefined, { cause });
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', undefined, { cause });
  return new AppError('VALIDATION_ERROR', 'The request body could not be read', { cause });
}
