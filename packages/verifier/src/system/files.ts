// Reads the bytes of a file, plain or gzipped.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { joinBytes } from './lines.ts';

/** The bytes of a file, or of standard input for `-`, expanded. */
export const readBytes = (path: string): AsyncGenerator<Buffer> =>
  expandBytes(path === '-' ? process.stdin : createReadStream(path));

/**
 * Expands gzip, which is recognised by its first two bytes; other bytes pass through.
 * @throws Error when they are damaged, or something follows their end
 */
export async function* expandBytes(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const head = await chunks.next();
  if (head.done) return;
  const all = joinBytes(head.value, chunks);
  if (head.value[0] === 0x1f && head.value[1] === 0x8b) {
    const zipped = { bytes: 0 };
    const raw = Readable.from(countBytes(all, zipped));
    const unzipped = createGunzip();
    raw.on('error', (error) => unzipped.destroy(error));
    yield* raw.pipe(unzipped) as AsyncIterable<Buffer>;
    // Zero bytes behind the end are ignored by zlib.
    if (unzipped.bytesWritten !== zipped.bytes)
      throw new Error('there is something behind the end of the gzip file');
  } else yield* all;
}

async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  tally: { bytes: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    tally.bytes += chunk.length;
    yield chunk;
  }
}
