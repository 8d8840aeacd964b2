// Sends a file: a text, a stream, or pieces that are made as the reader takes them.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { othersTurn } from '../../domain/others-turn.ts';
import type { FileDownload } from '../declaration/define-route.ts';

/** Bytes that are buffered for a slow reader. */
const HIGH_WATER_MARK = 256 * 1024;

/** When the source of a file fails the connection is destroyed, so that a truncated file never looks complete. */
export async function sendFile(
  res: Response,
  status: number,
  { type, filename, body }: FileDownload,
): Promise<void> {
  const content = typeof body === 'string' || body instanceof Readable ? body : await begin(body);
  res.status(status).setHeader('Content-Type', type);
  if (filename !== null)
    res.setHeader(
      'Content-Disposition',
      `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"`,
    );
  if (typeof content === 'string') res.end(content);
  else await pipeline(content, res).catch(ignoreLeaving);
}

/** Resolves when the first piece is there: what fails before is answered as an error. */
async function begin(pieces: AsyncIterable<string>): Promise<Readable> {
  const content = Readable.from(inTurn(pieces), {
    objectMode: false,
    highWaterMark: HIGH_WATER_MARK,
  });
  await once(content, 'readable');
  return content;
}

/** Between two pieces other requests are served. */
async function* inTurn(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece;
    await othersTurn();
  }
}

/** That a reader hangs up is no fault. @throws whatever else it is */
function ignoreLeaving(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
