// Archives: their contents, readers that stop early, and sources that fail or have another size than declared.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { expect, test } from 'vitest';
import {
  type ArchivedFile,
  type StreamedFile,
  createTarGz,
} from '../../../src/platform/archive/tar-gz.ts';
import { generateHex } from '../../../src/platform/ids.ts';

const MTIME = new Date('2026-04-11T12:00:00Z');
const PIECE = 65_536;

interface Source extends StreamedFile {
  isOpen: boolean;
}

/** `pieces` random pieces of a file with the declared size `size`. */
function source({
  pieces,
  size = pieces * PIECE,
  failsAt = Infinity,
}: {
  pieces: number;
  size?: number;
  failsAt?: number;
}): Source {
  const file: Source = { name: 'last', size, isOpen: false, pieces: made() };
  async function* made(): AsyncGenerator<Uint8Array> {
    file.isOpen = true;
    try {
      for (let count = 0; count < pieces; count++) {
        if (count === failsAt) throw new Error('the source failed');
        yield Buffer.from(generateHex(PIECE / 2));
      }
    } finally {
      file.isOpen = false;
    }
  }
  return file;
}

const small = (count: number): ArchivedFile[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `files/${at}.txt`,
    content: Buffer.from(generateHex(at * 50)),
  }));

async function unpack(archive: Uint8Array): Promise<{ header: Header; content: Buffer }[]> {
  const files: { header: Header; content: Buffer }[] = [];
  const entries = extract();
  Readable.from([gunzipSync(archive)]).pipe(entries);
  for await (const entry of entries)
    files.push({ header: entry.header, content: await buffer(entry) });
  return files;
}

test('files are archived in order, each with contents, size and time', async () => {
  const files = small(60);
  const unpacked = await unpack(
    await buffer(createTarGz([...files, source({ pieces: 3 })], MTIME)),
  );
  expect(unpacked.map(({ header }) => header.name)).toEqual([
    ...files.map(({ name }) => name),
    'last',
  ]);
  expect(unpacked.slice(0, -1).map(({ content }) => content)).toEqual(
    files.map(({ content }) => content),
  );
  expect(unpacked.at(-1)?.header).toMatchObject({ size: 3 * PIECE, mtime: MTIME, type: 'file' });
});

test('an archive without a reader opens nothing', () => {
  const file = source({ pieces: 3 });
  createTarGz([file], MTIME);
  expect(file.isOpen).toBe(false);
});

test.each([1, 2, 20, 60, 90])(
  'a reader that stops after %i pieces leaves nothing open, and no unhandled error',
  async (taken) => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    const file = source({ pieces: 200 });
    let left = taken;
    for await (const piece of createTarGz([...small(300), file], MTIME)) {
      expect(piece.length).toBeGreaterThan(0);
      left -= 1;
      if (left === 0) break;
    }
    expect(left).toBe(0);
    expect(file.isOpen).toBe(false);
    await new Promise((resolve) => void setImmediate(resolve));
    process.off('uncaughtExceptionMonitor', note);
    expect(uncaught).toEqual([]);
  },
);

test.each([
  ['fails', source({ pieces: 30, failsAt: 20 }), 'the source failed'],
  ['is shorter than was said', source({ pieces: 10, size: 11 * PIECE }), 'Size mismatch'],
  ['is longer than was said', source({ pieces: 10, size: 9 * PIECE }), 'Size mismatch'],
])('the archive fails with a source that %s', async (_, file, message) => {
  await expect(buffer(createTarGz([...small(3), file], MTIME))).rejects.toThrow(message);
  expect(file.isOpen).toBe(false);
});
