// Reads lines and the beginning of bytes that come in pieces, holding one line in memory.
import { isUtf8 } from './primitives.ts';

const LINE_FEED = 0x0a;
const PEEKED = 512;
/** Above the size of any entry: a body has at most 1.5 MB. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Returns the first bytes, some hundreds if there are as many, and all bytes; reading damaged bytes throws. */
export async function readBeginning(
  source: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; bytes: AsyncGenerator<Buffer> }> {
  let head = Buffer.alloc(0);
  try {
    while (head.length < PEEKED) {
      const { value, done } = await source.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    return { head, bytes: joinBytes(head, throwError(error)) };
  }
  return { head, bytes: joinBytes(head, source) };
}

// eslint-disable-next-line require-yield
async function* throwError(error: unknown): AsyncGenerator<Buffer> {
  throw error;
}

/**
 * Lines without line feeds; text after the last line feed is a line too.
 * @throws Error when a line is not UTF-8 or longer than 16 MiB
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield decode([...parts, chunk.subarray(start, end)]);
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_LINE_BYTES)
      throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes, as none of a bundle is`);
  }
  if (parts.length > 0) yield decode(parts);
}

export async function* joinBytes(
  first: Buffer,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function decode(parts: Buffer[]): string {
  const line = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  if (!isUtf8(line)) throw new Error('not UTF-8');
  return line.toString('utf8');
}
