// Reads a tar archive (POSIX ustar) as a stream, as strictly as it is written: every program sees the same files.
import { Unreadable } from '../text.ts';

const BLOCK = 512;
/** Zero blocks end an archive; programs fill the last record of 20 blocks with more of them. */
const END_BLOCKS = { least: 2, most: 20 };

export interface TarFile {
  name: string;
  /** Bytes. */
  size: number;
  /** The content; it may be skipped by going on to the next file. */
  body: AsyncGenerator<Buffer>;
}

/** Whether the first block of some bytes is the header of an archive. */
export function isTar(head: Buffer): boolean {
  return head.length >= BLOCK && head.toString('latin1', 257, 262) === 'ustar';
}

/** Reads bytes in pieces of a given length. */
class Pieces {
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.source = source;
  }

  /** The next piece, of at most `length` bytes; null at the end. */
  async readNext(length: number): Promise<Buffer | null> {
    while (this.rest.length === 0) {
      const { value, done } = await this.source.next();
      if (done) return null;
      this.rest = value;
    }
    const piece = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(piece.length);
    return piece;
  }

  /** @throws Unreadable at the end */
  async readPiece(length: number): Promise<Buffer> {
    const piece = await this.readNext(length);
    if (piece === null) throw new Unreadable('the archive is truncated');
    return piece;
  }

  async readExactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0;) {
      const piece = await this.readPiece(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }
}

/**
 * The files of an archive in their order. Reads to the end of `source`.
 * @throws Unreadable for anything but plain files with short names, a wrong checksum, or bytes that are not a file's
 */
export async function* readTar(source: AsyncIterator<Buffer>): AsyncGenerator<TarFile> {
  const pieces = new Pieces(source);
  for (;;) {
    const block = await pieces.readExactly(BLOCK);
    if (isZero(block)) return await readEnd(pieces);
    const { name, size } = readHeader(block);
    const left = { count: size };
    yield { name, size, body: readBody(pieces, left) };
    while (left.count > 0) left.count -= (await pieces.readPiece(left.count)).length;
    if (!isZero(await pieces.readExactly((BLOCK - (size % BLOCK)) % BLOCK)))
      throw new Unreadable(`${name}: there is something behind the end of the file`);
  }
}

/** @throws Unreadable */
function readHeader(block: Buffer): { name: string; size: number } {
  if (!isTar(block)) throw new Unreadable('not a tar archive');
  const name = readName(block.subarray(0, 100));
  const checksum = readOctal(block.subarray(148, 156), 6);
  if (checksum !== computeChecksum(block))
    throw new Unreadable(`${name}: the header has a wrong checksum`);
  const size = readOctal(block.subarray(124, 136), 11);
  const linkName = block.subarray(157, 257);
  const namePrefix = block.subarray(345);
  if (block[156] !== 0x30 || size === null || !isZero(linkName) || !isZero(namePrefix))
    throw new Unreadable(`${name}: not a plain file with a short name`);
  return { name, size };
}

/** @throws Unreadable when bytes follow the end of the name, which some programs would show */
function readName(field: Buffer): string {
  const end = field.indexOf(0);
  const name = field.toString('latin1', 0, end === -1 ? field.length : end);
  if (end !== -1 && !isZero(field.subarray(end)))
    throw new Unreadable(`${name}: bytes follow the name`);
  return name;
}

/** Reads a number of `digits` octal digits with its terminator; null for any other notation. */
function readOctal(field: Buffer, digits: number): number | null {
  const text = field.toString('latin1');
  const end = text.slice(digits);
  const isPlain = /^[0-7]+$/.test(text.slice(0, digits)) && /^[\0 ]+$/.test(end);
  return isPlain ? Number.parseInt(text.slice(0, digits), 8) : null;
}

/** Sums the bytes of a header, taking those of the checksum as blanks. */
function computeChecksum(block: Buffer): number {
  const isChecksum = (i: number): boolean => i >= 148 && i < 156;
  return block.reduce((sum, byte, i) => sum + (isChecksum(i) ? 0x20 : byte), 0);
}

/** Reads what follows the first zero block. @throws Unreadable unless it is zero blocks, and not many */
async function readEnd(pieces: Pieces): Promise<void> {
  let length = BLOCK;
  for (
    let piece = await pieces.readNext(BLOCK);
    piece !== null;
    piece = await pieces.readNext(BLOCK)
  ) {
    length += piece.length;
    if (!isZero(piece) || length > END_BLOCKS.most * BLOCK)
      throw new Unreadable('there is something behind the end of the archive');
  }
  if (length < END_BLOCKS.least * BLOCK) throw new Unreadable('the archive is truncated');
  if (length % BLOCK !== 0) throw new Unreadable('the archive does not end with a whole block');
}

async function* readBody(pieces: Pieces, left: { count: number }): AsyncGenerator<Buffer> {
  while (left.count > 0) {
    const piece = await pieces.readPiece(left.count);
    left.count -= piece.length;
    yield piece;
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
