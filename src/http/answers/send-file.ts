// Sends a file: a text, bytes, or pieces that are produced as the client reads them.
import type { Response } from 'express';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import type { FileDownload } from '../declaration/define-route.ts';

type Pieces = AsyncIterable<string | Uint8Array>;

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
  let endWait = (): void => undefined;
  const continueSending = (): void => endWait();
  res.on('drain', continueSending).once('close', continueSending);
  const wait = (): Promise<void> =>
    new Promise((resolve) => {
      endWait = resolve;
      if (res.closed) resolve();
    });
  for await (const piece of pieces) {
    if (res.closed) return;
    if (!res.headersSent) begin();
    if (!res.write(piece)) await wait();
    await yieldToEventLoop();
  }
  if (res.closed) return;
  if (!res.headersSent) begin();
  res.end();
  while (!res.closed) await wait();
}
