// Reads a tar archive (POSIX ustar) as a stream: one file after the other, each in pieces.
import { Unreadable } from '../text.ts';

const BLOCK = 512;
const REGULAR_FILE = new Set(['0', '\0']);

export interface TarFile {
  name: string;
  size: number;
  /** To be read, or skipped by going on to the next file. */
  body: AsyncGenerator<Buffer>;
}

/** Whether the first block of some bytes is the header of an archive. */
export function isTar(head: Buffer): boolean {
  return head.length >= BLOCK && head.toString('latin1', 257, 262) === 'ustar';
}

/** Bytes in pieces of a wanted length. */
class Pieces {
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.source = source;
  }

  /** The next piece, of at most so many bytes. @throws Unreadable at the end */
  async upTo(length: number): Promise<Buffer> {
    while (this.rest.length === 0) {
      const { value, done } = await this.source.next();
      if (done) throw new Unreadable('the archive is truncated');
      this.rest = value;
    }
    const piece = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(piece.length);
    return piece;
  }

  async exactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0;) {
      const piece = await this.upTo(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }
}

/** The files of an archive in their order. @throws Unreadable for what is no such archive, or holds anything but files */
export async function* tarFiles(source: AsyncIterator<Buffer>): AsyncGenerator<TarFile> {
  const pieces = new Pieces(source);
  for (;;) {
    const header = await pieces.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (!isTar(header)) throw new Unreadable('not a tar archive');
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
    const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    if (!REGULAR_FILE.has(String.fromCharCode(header[156] ?? 0)) || !Number.isSafeInteger(size))
      throw new Unreadable(`${name}: not a plain file`);
    const left = { count: size };
    yield { name, size, body: bodyOf(pieces, left) };
    while (left.count > 0) left.count -= (await pieces.upTo(left.count)).length;
    await pieces.exactly((BLOCK - (size % BLOCK)) % BLOCK);
  }
}

async function* bodyOf(pieces: Pieces, left: { count: number }): AsyncGenerator<Buffer> {
  while (left.count > 0) {
    const piece = await pieces.upTo(left.count);
    left.count -= piece.length;
    yield piece;
  }
}
