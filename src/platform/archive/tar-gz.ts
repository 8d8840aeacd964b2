// Creates tar.gz archives as a stream, at the pace of the reader.
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

export interface ArchivedFile {
  name: string;
  content: Uint8Array;
}

/** A tar header holds the size before the contents, so the size of a streamed file must be known in advance. */
export interface StreamedFile {
  name: string;
  /** Size in bytes. */
  size: number;
  pieces: AsyncIterable<Uint8Array>;
}
export type AnyFile = ArchivedFile | StreamedFile;

export type TarGz = typeof createTarGz;

/** Opens nothing before the first read; releases everything after the last read, or when the reader stops. */
export async function* createTarGz(
  files: Iterable<AnyFile>,
  mtime: Date,
): AsyncGenerator<Uint8Array> {
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

/** Adds files sequentially: errors of an entry that is queued behind others would be unhandled. */
async function addFiles(tar: Pack, files: Iterable<AnyFile>, mtime: Date): Promise<void> {
  for (const file of files) await addFile(tar, file, mtime);
  tar.finalize();
}

function addFile(tar: Pack, file: AnyFile, mtime: Date): Promise<void> {
  const { name, size, pieces } = 'pieces' in file ? file : toStreamedFile(file);
  const entry = tar.entry({ name, mtime, size });
  // An entry emits a second error, after its pipeline's, when its archive is destroyed.
  entry.on('error', () => undefined);
  return pipeline(pieces, entry);
}

const toStreamedFile = ({ name, content }: ArchivedFile) => ({
  name,
  size: content.length,
  pieces: [content],
});
