// Sends a file: a text, bytes, or pieces that are produced as the client reads them.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import type { FileDownload } from '../declaration/define-route.ts';

type Pieces = AsyncIterable<string | Uint8Array>;

/** Bytes that are buffered for a slow reader. */
const HIGH_WATER_MARK = 256 * 1024;
/** Error codes of a stream whose client has disconnected. */
const CLIENT_GONE_CODES: ReadonlySet<string | undefined> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
]);

/**
 * Resolves when the file is sent, or when the client has disconnected and the source has stopped.
 * @throws what the source throws before the first piece; after it the caller destroys the connection, so that a truncated
 * file never looks complete
 */
export async function sendFile(
  res: Response,
  status: number,
  { type, filename, body }: FileDownload,
): Promise<void> {
  const begin = (): void => {
    res.status(status).setHeader('Content-Type', type);
    if (filename === null) return;
    const name = filename.replace(/[^\w.-]/g, '_');
    res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  };
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return sendPieces(res, body, begin);
  begin();
  res.end(body);
}

async function sendPieces(res: Response, pieces: Pieces, begin: () => void): Promise<void> {
  if (res.closed) return;
  const content = Readable.from(yieldBetweenPieces(pieces), {
    objectMode: false,
    highWaterMark: HIGH_WATER_MARK,
  });
  const closed = new Promise<void>((resolve) => void content.once('close', resolve));
  // The calls below handle a failure; an error after them must not end the process.
  content.on('error', () => undefined);
  const clientGone = Object.assign(new Error('the reader has left'), {
    code: [...CLIENT_GONE_CODES][0],
  });
  res.once('close', () => content.destroy(clientGone));
  try {
    await once(content, 'readable');
    begin();
    await pipeline(content, res);
  } catch (error) {
    if (!CLIENT_GONE_CODES.has((error as NodeJS.ErrnoException).code)) throw error;
  } finally {
    await closed;
  }
}

/** Yields to other requests between two pieces. */
async function* yieldBetweenPieces(pieces: Pieces): AsyncGenerator<string | Uint8Array> {
  for await (const piece of pieces) {
    yield piece;
    await yieldToEventLoop();
  }
}
