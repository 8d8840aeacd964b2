// A tar.gz archive whose last file is as large as it likes: it is written to a temporary file first, for an archive names sizes before contents.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ArchivedFile } from './tar-gz.ts';

export type SpooledArchive = typeof spooledArchive;

/** Once it resolves the contents are complete; the temporary file goes with the end of the archive, however that comes. */
export async function spooledArchive(
  files: readonly ArchivedFile[],
  last: { name: string; body: Readable },
  mtime: Date,
): Promise<Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-archive-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'last');
    await pipeline(last.body, createWriteStream(path));
    const { size } = await stat(path);
    const archive = packed(files, { name: last.name, path, size }, mtime);
    void finished(archive).then(remove, remove);
    return archive;
  } catch (error) {
    await remove();
    throw error;
  }
}

function packed(
  files: readonly ArchivedFile[],
  { name: lastName, path, size }: { name: string; path: string; size: number },
  mtime: Date,
): Readable {
  const archive = createGzip();
  const fail = (error: unknown): void => void archive.destroy(error as Error);
  const tar = pack();
  for (const { name, content } of files) tar.entry({ name, mtime }, content);
  const entry = tar.entry({ name: lastName, mtime, size });
  pipeline(createReadStream(path), entry).then(() => tar.finalize(), fail);
  pipeline(tar, archive).catch(fail);
  return archive;
}
