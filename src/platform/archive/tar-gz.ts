// Makes every archive: files as tar.gz, piece by piece, as their reader takes them.
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

export interface ArchivedFile {
  name: string;
  content: Uint8Array;
}

/** An archive names the size of a file before it holds the contents: whoever streams them counts them first. */
export interface StreamedFile {
  name: string;
  /** In bytes. */
  size: number;
  pieces: AsyncIterable<Uint8Array>;
}
export type AnyFile = ArchivedFile | StreamedFile;

export type TarGz = typeof tarGz;

/** Nothing is opened before the first piece is taken; when the last is taken, or the reader stops, all of it has ended. */
export async function* tarGz(files: Iterable<AnyFile>, mtime: Date): AsyncGenerator<Uint8Array> {
  const tar = pack();
  const archive = createGzip();
  const ended = Promise.allSettled([
    pipeline(tar, archive),
    addFiles(tar, files, mtime).catch((error: unknown) => archive.destroy(error as Error)),
  ]);
  try {
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    archive.destroy();
    await ended;
  }
}

/** One after the other: an entry that waits behind others is a stream whose failure nobody awaits. */
async function addFiles(tar: Pack, files: Iterable<AnyFile>, mtime: Date): Promise<void> {
  for (const file of files) await addFile(tar, file, mtime);
  tar.finalize();
}

function addFile(tar: Pack, file: AnyFile, mtime: Date): Promise<void> {
  const { name, size, pieces } = 'pieces' in file ? file : asStream(file);
  const entry = tar.entry({ name, mtime, size });
  // An entry fails again, after its pipeline, when its archive is given up.
  entry.on('error', () => undefined);
  return pipeline(pieces, entry);
}

const asStream = ({ name, content }: ArchivedFile) => ({
  name,
  size: content.length,
  pieces: [content],
});
