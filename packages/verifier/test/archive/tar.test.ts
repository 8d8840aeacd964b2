// The reader of archives: chunk sizes do not matter, and anything but plain files is refused.
import { expect, test } from 'vitest';
import { isTar, readTar } from '../../src/archive/tar.ts';

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);

interface Header {
  name?: string;
  /** The header as written. */
  size?: string;
  change?: (block: Buffer) => void;
  /** The difference from the correct checksum. */
  sum?: number;
}

function headerOf({ name = 'a.txt', size = '', change, sum = 0 }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 'latin1');
  block.write('0000644\0', 100);
  block.write(size, 124);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  change?.(block);
  const right = block.reduce((total, byte) => total + byte, 0);
  block.write(`${(right + sum).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function fileOf(text: string, header: Header = {}): Buffer {
  const size = `${text.length.toString(8).padStart(11, '0')}\0`;
  const body = Buffer.alloc(Math.ceil(text.length / BLOCK) * BLOCK);
  body.write(text, 'latin1');
  return Buffer.concat([headerOf({ size, ...header }), body]);
}

/** Splits the bytes into chunks of a length. */
async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length)
    yield await Promise.resolve(bytes.subarray(at, at + length));
}

async function filesIn(
  bytes: Buffer,
  length = bytes.length,
  isSkipping = false,
): Promise<string[][]> {
  const found: string[][] = [];
  for await (const { name, size, body } of readTar(inPieces(bytes, length))) {
    const pieces: Buffer[] = [];
    if (!isSkipping) for await (const piece of body) pieces.push(piece);
    found.push([name, String(size), Buffer.concat(pieces).toString('latin1')]);
  }
  return found;
}

const TEXTS = ['', 'x', 'y'.repeat(511), 'z'.repeat(512), 'w'.repeat(513), 'v'.repeat(2000)];
const nameOf = (at: number): string => `${at}${'n'.repeat(at === 5 ? 99 : at)}`;
const archive = Buffer.concat([
  ...TEXTS.map((text, at) => fileOf(text, { name: nameOf(at) })),
  END,
]);

test.each([1, 2, 7, 511, 512, 513, 1025, archive.length])(
  'in pieces of %d bytes',
  async (length) => {
    const expected = TEXTS.map((text, at) => [nameOf(at), String(text.length), text]);
    expect(await filesIn(archive, length)).toEqual(expected);
    const skipped = expected.map(([name, size]) => [name, size, '']);
    expect(await filesIn(archive, length, true)).toEqual(skipped);
  },
);

test.each<[string, Buffer, string]>([
  ['a sum that is one less', fileOf('x', { sum: -1 }), 'wrong checksum'],
  ['a sum that is one more', fileOf('x', { sum: 1 }), 'wrong checksum'],
  ['a link', fileOf('x', { change: (block) => void block.write('2', 156) }), 'not a plain file'],
  [
    'the name of a link',
    fileOf('x', { change: (block) => void block.write('b', 157) }),
    'not a plain file',
  ],
  [
    'the end of such a name',
    fileOf('x', { change: (block) => void block.write('b', 256) }),
    'not a plain file',
  ],
  [
    'a prefix of the name',
    fileOf('x', { change: (block) => void block.write('b', 345) }),
    'not a plain file',
  ],
  [
    'the last byte of a header',
    fileOf('x', { change: (block) => void block.write('b', 511) }),
    'not a plain file',
  ],
  ['a size in another base', fileOf('x', { size: '00000000009\0' }), 'not a plain file'],
  ['a size without its end', fileOf('x', { size: '000000000011' }), 'not a plain file'],
  ['no size', fileOf('', { size: '' }), 'not a plain file'],
  ['bytes behind the name', fileOf('x', { name: 'a\0b' }), 'bytes follow the name'],
  [
    'another format',
    fileOf('x', { change: (block) => void block.write('USTAR', 257) }),
    'not a tar',
  ],
])('%s is refused', async (_what, file, why) => {
  await expect(filesIn(Buffer.concat([file, END]))).rejects.toThrow(why);
});

test.each<[string, Buffer, string | null]>([
  ['two zero blocks', END, null],
  ['twenty zero blocks', Buffer.alloc(20 * BLOCK), null],
  ['one zero block', Buffer.alloc(BLOCK), 'the archive is truncated'],
  ['no end', Buffer.alloc(0), 'the archive is truncated'],
  ['twenty-one zero blocks', Buffer.alloc(21 * BLOCK), 'something behind the end of the archive'],
  ['half a block more', Buffer.alloc(2.5 * BLOCK), 'a whole block'],
  [
    'a byte behind it',
    Buffer.concat([END, Buffer.from('x')]),
    'something behind the end of the archive',
  ],
  ['another file behind it', Buffer.concat([END, fileOf('x'), END]), 'something behind the end'],
])('an archive ends with %s: %s', async (_what, end, why) => {
  const bytes = Buffer.concat([fileOf('x'), end]);
  for (const length of [1, 100, bytes.length])
    if (why === null) expect(await filesIn(bytes, length)).toHaveLength(1);
    else await expect(filesIn(bytes, length)).rejects.toThrow(why);
});

test('bytes between the end of a file and its block are refused, and so is half a file', async () => {
  const file = fileOf('x');
  await expect(filesIn(Buffer.concat([file.fill('x', BLOCK + 1, BLOCK + 2), END]))).rejects.toThrow(
    'behind the end of the file',
  );
  for (const length of [1, 511, 512, 513, 600])
    await expect(filesIn(fileOf('x'.repeat(100)).subarray(0, length))).rejects.toThrow('truncated');
});

test('an archive is recognised by its first block', () => {
  expect(isTar(archive)).toBe(true);
  expect(isTar(archive.subarray(0, BLOCK))).toBe(true);
  expect(isTar(archive.subarray(0, BLOCK - 1))).toBe(false);
  expect(isTar(Buffer.alloc(BLOCK))).toBe(false);
});
